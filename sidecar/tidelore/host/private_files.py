"""Small files for their owner only, replaced whole: whoever reads one sees the old text or the new one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from tidelore.engine.errors import StoreError

OWNER_ONLY = 0o600


def write_private(path: Path, text: str) -> None:
    """Replaces the file, or makes it. Raises StoreError."""
    try:
        _write(path, text).replace(path)
    except OSError as error:
        raise _refused(path, error) from error


def made_once(path: Path, text: str) -> str:
    """What is in the file; where there is none, it is made with `text`. Of several who make it at once, one wins. Raises StoreError."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(path, error) from error
    try:
        made = _write(path, text)
        try:
            os.link(made, path)
        except FileExistsError:
            return path.read_text("utf-8")
        except OSError:  # a file system without links
            made.replace(path)
            return text
        finally:
            made.unlink(missing_ok=True)
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(path, error) from error
    return text


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return beside


def _refused(path: Path, error: Exception) -> StoreError:
    return StoreError(f"{path} cannot be used: {error}.", "Check that the folder exists and may be written, or choose another with --data.")
