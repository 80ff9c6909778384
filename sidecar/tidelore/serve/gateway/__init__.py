"""The gateway: chat clients set it as their base URL, and what they send goes on to a model with the memories that matter in it."""
