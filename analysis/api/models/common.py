"""Base classes of all response models: pages of lists, problems, and fields read from records."""

from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from analysis.queries.listing import Listing
from storage.records import ClaimedDate

R = TypeVar("R")
T = TypeVar("T", bound=BaseModel)


def _iso_text(value: object) -> object:
    return value.iso() if isinstance(value, ClaimedDate) else value


Claimed = Annotated[str | None, BeforeValidator(_iso_text)]


class Answer(BaseModel):
    """A response model that is filled from the fields of a record with the same names."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class Part(BaseModel, Generic[T]):
    """One page of a list. ``next`` is the cursor of the next page, or null at the end."""

    items: list[T]
    next: str | None


def part(listing: Listing[R], items: list[T]) -> Part[T]:
    """Return one page of a list as a response."""
    return Part(items=items, next=listing.next or None)


class Problem(BaseModel):
    """An error in the form of RFC 9457. ``reason`` is the error's name for programs."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    reason: str


def fields_of(kind: type[BaseModel], record: object) -> dict[str, object]:
    """Return name → value for the fields of a record that a response model also has."""
    return {name: getattr(record, name) for name in kind.model_fields if hasattr(record, name)}
