"""The verbs of the command line, a module for each or for a small group."""
