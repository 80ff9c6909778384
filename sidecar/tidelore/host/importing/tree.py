"""The branch of a message tree that is on screen."""

from __future__ import annotations

from collections.abc import Mapping

from tidelore.engine.errors import BadInput


def current_branch(title: str, parents: Mapping[str, str], current: str) -> list[str]:
    """The ids from the root to the current node. `parents`: the parent of every node, "" or unknown for a root.

    BadInput when nothing says which of several branches is the current one.
    """
    if current not in parents:
        inner = set(parents.values())
        leaves = [node for node in parents if node not in inner]
        if len(leaves) != 1:
            found = f"{len(leaves)} branches" if leaves else "no end"
            raise BadInput(
                f'The chat "{title}" has {found} and does not say which is the current one.',
                "Open the chat in the program that it comes from, show the branch you want, and export it again.",
            )
        current = leaves[0]
    branch: list[str] = []
    seen: set[str] = set()
    while current in parents and current not in seen:
        seen.add(current)
        branch.append(current)
        current = parents[current]
    return branch[::-1]
