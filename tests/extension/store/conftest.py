"""Node and the build, as the parity tests have them."""

from tests.parity.conftest import build, node

__all__ = ["build", "node"]
