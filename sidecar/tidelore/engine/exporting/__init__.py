"""Memories as files: for another Tidelore, for people, for the MCP memory server. Pure: values in, text out."""
