"""The demo: two sample stories, what is remembered of them, and what a change of the chat costs."""
