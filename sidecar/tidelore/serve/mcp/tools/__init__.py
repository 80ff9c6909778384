"""The tools, by subject."""
