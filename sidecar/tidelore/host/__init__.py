"""What the sidecar adds to the engine: store, model client, settings, imports."""

import os

# One matrix-vector product a recall: OpenBLAS's further threads would only spin beside it. Measured: a recall with vectors takes 46 ms with
# two threads and 12 with one. Set before anything here imports numpy; who sets it otherwise is obeyed.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
