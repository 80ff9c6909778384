"""The OpenAPI file, made from the rows that the routes are made from."""

from tidelore.serve.openapi.document import document

__all__ = ["document"]
