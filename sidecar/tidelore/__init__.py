"""Tidelore gives long conversations a memory."""

__version__ = "0.1.0"
