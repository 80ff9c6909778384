"""Recall: from a query to the text for the prompt, one module a stage."""
