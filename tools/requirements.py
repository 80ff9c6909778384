"""The requirement manifest: what Tidelore must do, what of it works, and which tests show it.

`python -m tools.requirements` counts; with `--planned` it also lists what is not done yet.
"""

from __future__ import annotations

import argparse
import ast
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "tests" / "requirements.toml"
KEYS = {"id": str, "source": str, "text": str, "done": bool}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One row of the manifest."""

    id: str
    source: str
    text: str
    done: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A test file says, by the `req` marker, that it shows a requirement."""

    id: str
    file: str
    line: int


def load(path: Path = MANIFEST) -> list[Requirement]:
    """Read the manifest. Raises ValueError for a row that is not of the form."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    if set(document) != {"requirement"}:
        raise ValueError(f"{path.name}: the one table wanted is `requirement`")
    return [_requirement(row) for row in document["requirement"]]


def _requirement(row: dict[str, object]) -> Requirement:
    unknown = row.keys() - KEYS.keys()
    missing = KEYS.keys() - row.keys()
    wrong = {key for key, value in row.items() if key in KEYS and (type(value) is not KEYS[key] or value == "")}
    if unknown or missing or wrong:
        raise ValueError(f"requirement {row.get('id')!r}: look at {', '.join(sorted(unknown | missing | wrong))}")
    return Requirement(**row)  # type: ignore[arg-type]  # the types were compared just above


def claims(folder: Path = ROOT / "tests") -> list[Claim]:
    """Every id in a `pytest.mark.req(...)` under a folder, found without running anything."""
    found: list[Claim] = []
    for path in sorted(folder.rglob("*.py")):
        if "node_modules" in path.parts:
            continue
        found.extend(claims_in(path.read_text(encoding="utf-8"), path.relative_to(folder.parent).as_posix()))
    return found


def claims_in(text: str, file: str) -> Iterator[Claim]:
    """The ids in the `req` markers of one file. Raises ValueError where an id is not written out."""
    for node in ast.walk(ast.parse(text, file)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark") | ast.Name(id="mark"), attr="req")):
                if not node.args or node.keywords:
                    raise ValueError(f"{file}:{node.lineno}: req() takes ids, and nothing else")
                for argument in node.args:
                    match argument:
                        case ast.Constant(value=str(id_)):
                            yield Claim(id_, file, argument.lineno)
                        case _:
                            raise ValueError(f"{file}:{node.lineno}: write the ids of req() out, one string each")
            case _:
                pass


def problems(requirements: Iterable[Requirement], claimed: Iterable[Claim]) -> list[str]:
    """What does not agree between the manifest and the tests, one sentence each."""
    requirements, claimed = list(requirements), list(claimed)
    ids = [requirement.id for requirement in requirements]
    shown = {claim.id for claim in claimed}
    return [
        *(f"{id_}: stands twice in the manifest" for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1})),
        *(f"{row.id}: is marked done, but no test shows it" for row in requirements if row.done and row.id not in shown),
        *(f"{claim.file}:{claim.line}: {claim.id} is not in the manifest" for claim in claimed if claim.id not in ids),
    ]


def main() -> None:
    """Print the counts by source."""
    parser = argparse.ArgumentParser(prog="python -m tools.requirements", description=__doc__)
    parser.add_argument("--planned", action="store_true", help="list what is not done yet")
    listed: bool = parser.parse_args().planned
    requirements, shown = load(), {claim.id for claim in claims()}
    sources = list(dict.fromkeys(row.source for row in requirements))
    width = max(map(len, [*sources, "total"]))
    print(f"{'':{width}}  done  planned  of these with a test")
    for source in [*sources, "total"]:
        rows = [row for row in requirements if source in (row.source, "total")]
        planned = [row for row in rows if not row.done]
        begun = sum(row.id in shown for row in planned)
        print(f"{source:{width}}  {len(rows) - len(planned):4}  {len(planned):7}  {begun:4}")
    if listed:
        for row in requirements:
            if not row.done:
                print(f"{row.id:16} {'test' if row.id in shown else '    '}  {row.text}")


if __name__ == "__main__":
    main()
