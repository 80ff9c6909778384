"""Transports over the service's one table of methods."""
