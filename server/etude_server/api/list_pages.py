"""Pages of long lists in the API."""

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel, Field

_Item = TypeVar("_Item")

# Programs and names contain no NUL, and PostgreSQL cannot store one.
NO_NUL_PATTERN = r"^[^\x00]*$"

Filter = Annotated[str | None, Query(max_length=200, pattern=NO_NUL_PATTERN)]

After = Annotated[
    str | None,
    Query(max_length=401, pattern=r"^[^\x00]+$", description="`next` of the page before."),
]
Limit = Annotated[int, Query(ge=1, le=1000, description="The most entries of a page.")]


class Page(BaseModel, Generic[_Item]):
    """A part of a list, in order."""

    items: list[_Item]
    next: str | None = Field(description="`after` of the next page; null at the end.")

    @classmethod
    def make(
        cls, entries: Sequence[_Item], limit: int, make_cursor: Callable[[_Item], str]
    ) -> "Page[_Item]":
        """Return the page of the first `limit` entries; one more means that a page follows."""
        next_cursor = make_cursor(entries[limit - 1]) if len(entries) > limit else None
        return Page(items=list(entries[:limit]), next=next_cursor)
