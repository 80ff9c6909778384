"""Arguments and results of the reference memory server's tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tidelore.serve.mcp.tools import words as w


@dataclass(frozen=True, slots=True)
class Entity:
    name: Annotated[str, "The entity's name."]
    entityType: Annotated[str, "What sort of entity it is."]
    observations: Annotated[list[str], "What is known of it."]


@dataclass(frozen=True, slots=True)
class Relation:
    start: Annotated[str, "The name of the entity where it begins."]
    end: Annotated[str, "The name of the entity where it ends."]
    relationType: Annotated[str, "How the one is related to the other, in the active voice."]


@dataclass(frozen=True, slots=True)
class Entities:
    entities: list[Entity]


@dataclass(frozen=True, slots=True)
class Relations:
    relations: list[Relation]


@dataclass(frozen=True, slots=True)
class Observed:
    entityName: Annotated[str, "The entity's name."]
    contents: Annotated[list[str], "What to add."]


@dataclass(frozen=True, slots=True)
class AddObservations:
    observations: list[Observed]


@dataclass(frozen=True, slots=True)
class Added:
    entityName: str
    addedObservations: list[str]


@dataclass(frozen=True, slots=True)
class AddedAll:
    results: list[Added]


@dataclass(frozen=True, slots=True)
class DeleteEntities:
    entityNames: Annotated[list[str], "Names of the entities to delete."]


@dataclass(frozen=True, slots=True)
class Deletion:
    entityName: Annotated[str, "The entity's name."]
    observations: Annotated[list[str], "What to delete."]


@dataclass(frozen=True, slots=True)
class DeleteObservations:
    deletions: list[Deletion]


@dataclass(frozen=True, slots=True)
class Done:
    success: bool
    message: str


@dataclass(frozen=True, slots=True)
class ReadGraph:
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class SearchNodes:
    query: Annotated[str, "Words to find in names, types and observations."]
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class OpenNodes:
    names: Annotated[list[str], "Names of the entities."]
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """An entity whose observations do not fit on one page stands on the next one again, with the others."""

    entities: list[Entity]
    relations: list[Relation]
    totalEntities: int
    totalRelations: int
    nextCursor: Annotated[str, w.NEXT] = ""
