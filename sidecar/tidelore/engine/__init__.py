"""The memory engine: pure, the same on CPython and Pyodide."""
