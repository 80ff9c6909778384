"""Extraction: what a message says, as operations on the graph."""
