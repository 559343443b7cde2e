"""Shared definitions of the paths: parameters for lists, names of records, and possible errors."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AwareDatetime, ConfigDict, Field
from pydantic.config import JsonDict

from analysis.api.problems import MEDIA_TYPE
from analysis.queries.listing import MAX_LIMIT

MAX_ID = 2**53  # JavaScript cannot represent larger whole numbers
_ERRORS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
ERRORS: dict[int | str, dict[str, Any]] = {
    status.value: {
        "description": status.phrase,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status in _ERRORS
}

Cursor = Annotated[
    str, Query(max_length=60_000, description="`next` of the part before; none for the first one")
]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="items at most")]
Since = Annotated[AwareDatetime | None, Query(description="first seen at this moment or later")]
Until = Annotated[AwareDatetime | None, Query(description="first seen before this moment")]
Bounds = Annotated[
    str, Query(max_length=200, description="bounds such as `>70`, `<=100`, `70..90`; several with commas")
]
Name = Annotated[str, Path(max_length=500, description="short name or id")]
Id = Annotated[int, Path(ge=1, le=MAX_ID)]
WorkId = Annotated[int | None, Query(ge=1, le=MAX_ID, description="id of the work")]
Text = Annotated[str, Query(max_length=500)]
Reason = Annotated[str, Field(alias="because", max_length=20_000)]


def example(body: JsonDict, *, is_closed: bool = False) -> ConfigDict:
    """Return the pydantic configuration of a body model, with an example.

    Args:
        body: an example body for the API's description.
        is_closed: refuse bodies with unknown fields.
    """
    return ConfigDict(extra="forbid" if is_closed else "ignore", json_schema_extra={"examples": [body]})
