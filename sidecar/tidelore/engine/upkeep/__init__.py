"""Rewrites of what is remembered, each one commit that can be undone; and what there is to decide."""
