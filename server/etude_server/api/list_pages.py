"""Pages of the API's lists, and times as RFC 3339 has them."""

from datetime import datetime
from typing import Annotated, Generic, TypeAlias, TypeVar

from fastapi import Query
from pydantic import BaseModel, Field, PlainSerializer

from etude_server.store.ids import utc

_Item = TypeVar("_Item")

Moment: TypeAlias = Annotated[int, PlainSerializer(utc, return_type=datetime)]
"""A time of the store, microseconds since 1970."""

After = Annotated[
    str | None,
    Query(max_length=401, pattern=r"^[^\x00]+$", description="`next` of the page before."),
]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many, at most.")]


class Page(BaseModel, Generic[_Item]):
    """A part of a list, in order."""

    items: list[_Item]
    next: str | None = Field(description="`after` of the next page; null at the end.")
