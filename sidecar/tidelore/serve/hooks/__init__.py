"""HTTP for hosts that call the model themselves, and for scripts."""
