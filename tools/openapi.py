"""`make docs`: docs/openapi.json from the rows of the routes."""

from __future__ import annotations

import json
from pathlib import Path

from tidelore.serve.openapi import document

TARGET = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"


def text() -> str:
    """The text of docs/openapi.json."""
    return json.dumps(document(), ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    TARGET.write_text(text(), encoding="utf-8")
    print(TARGET.name)


if __name__ == "__main__":
    main()
