"""`make docs`: docs/methods.md from the service's table of methods."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

from tidelore.engine.params import RENAMED, describe
from tidelore.engine.service import METHODS

TARGET = Path(__file__).resolve().parent.parent / "docs" / "methods.md"
HEAD = """# Methods

Every transport serves these. `tidelore rpc` takes one JSON-RPC 2.0 request a line on standard input and answers in order on standard
output, one object a line:

```
{"jsonrpc": "2.0", "id": 1, "method": "chat.update", "params": {"chat": "story", "messages": [{"role": "user", "text": "My cat is Bo."}]}}
{"jsonrpc": "2.0", "id": 2, "method": "extract.run", "params": {"chat": "story", "lag": 0}}
{"jsonrpc": "2.0", "id": 3, "method": "recall.run", "params": {"chat": "story", "query": "What is the cat called?"}}
```

An error has `message`, and in `data` a `code` and a `hint` on what to do. This page is made from the table (`make docs`).
"""


def _default(item: dataclasses.Field[Any]) -> str:
    if item.default is dataclasses.MISSING:
        return ""
    return "" if item.default is None else f", default `{item.default!r}`".replace("True", "true").replace("False", "false")


def _members(cls: type[Any], indent: str = "") -> Iterator[str]:
    hints = get_type_hints(cls)
    for item in dataclasses.fields(cls):
        required = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        optional = "" if required or indent else ", optional"
        yield f"{indent}- `{RENAMED.get(item.name, item.name)}`: {describe(hints[item.name])}{optional}{_default(item)}"


def _told(cls: type[Any]) -> str:
    """The class's own docstring; not the signature that dataclasses make up."""
    text = " ".join((cls.__doc__ or "").split())
    return "" if text.startswith(f"{cls.__name__}(") else text


def _nested(cls: type[Any]) -> Iterator[type[Any]]:
    for hint in get_type_hints(cls).values():
        for inner in (hint, *get_args(hint)):
            if dataclasses.is_dataclass(inner) and isinstance(inner, type):
                yield inner
                yield from _nested(inner)


def page() -> str:
    """The text of docs/methods.md."""
    out = [HEAD]
    shown: dict[type[Any], None] = {}
    for name in sorted(METHODS):
        row = METHODS[name]
        out.append(f"## {name}\n\n{row.doc}\n")
        parameters = list(_members(row.params))
        out.append(
            "Parameters:" + ("" if parameters else " none.") + (f" {_told(row.params)}" if parameters and _told(row.params) else "") + "\n"
        )
        if parameters:
            out.append("\n".join(parameters) + "\n")
        out.append(f"Result: {_told(row.result)}".rstrip() + "\n")
        out.append("\n".join(_members(row.result, indent=" ")).replace(" - ", "- ") + "\n")
        shown |= dict.fromkeys(_nested(row.result))
    out.append("## Parts of results\n")
    for cls in sorted(shown, key=lambda each: each.__name__):
        out.append(f"**{cls.__name__}** {_told(cls)}".rstrip() + "\n")
        out.append("\n".join(_members(cls, indent=" ")).replace(" - ", "- ") + "\n")
    return "\n".join(out)


def main() -> None:
    TARGET.write_text(page(), encoding="utf-8")
    print(TARGET.name)


if __name__ == "__main__":
    main()
