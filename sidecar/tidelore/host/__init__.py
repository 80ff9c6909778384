"""What the sidecar adds to the engine: store, model client, settings, imports."""
