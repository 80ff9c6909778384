"""Benchmarks: figures, never tests."""

# The sidecar's own choice of threads for numpy, before numpy is imported here.
import tidelore.host  # noqa: F401
