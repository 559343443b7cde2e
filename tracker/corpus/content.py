"""The content of one file: its text, its headings and its metadata."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, tzinfo
from pathlib import Path
from typing import Any

from storage.records import ClaimedDate
from storage.records.dates import parse_date
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.texts import storable

MAX_FIELD_CHARS = 2_000  # maximum length of a title, an author or an address
_SHOWN_CHARS = 40
_MAX_BITS = 64  # maximum size of a number: TOML has no longer numbers, and Python cannot print very long ones
_CREATOR_MARK = "、"

# The accepted names of each field in files and tables.
FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "书名", "題名", "题名", "标题", "標題"),
    "author": ("author", "authors", "creator", "作者"),
    "published": ("date", "published", "日期", "发布日期", "出版日期"),
    "url": ("url", "address", "link", "网址", "網址"),
    "language": ("language", "lang", "语言", "語言"),
    "rights": ("rights", "copyright", "license", "licence", "版权", "版權"),
    "holder": ("holder", "权利人", "權利人"),
}


class OddDate(PindnaError):
    """The date of a text cannot be used.

    Attributes:
        path: the file or folder.
        date: the value.
    """

    template = "Ignored the date “{date}” in {path}. Write it like 2026-01-31, in a year from 1000 to 2999."


class LongField(PindnaError):
    """A title, an author or an address is too long.

    Attributes:
        path: the file or folder.
        field: the field.
        limit: the limit.
    """

    template = (
        "Ignored {field} in {path}: it is longer than {limit} characters. Shorten it in the file,"
        " or set it in metadata.toml."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMetadata:
    """Metadata of a work from its file or from a table; fields are None if unknown."""

    title: str | None = None
    author: str | None = None
    published: ClaimedDate | None = None
    url: str | None = None
    language: str | None = None
    rights: str | None = None
    holder: str | None = None

    def over(self, other: "WorkMetadata") -> "WorkMetadata":
        """Merge this metadata with other metadata; the values of this object have precedence."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: value for name, value in values.items() if value is not None})


NO_METADATA = WorkMetadata()


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of one file.

    Attributes:
        text: with line ends as LF.
        headings: by the start offset of their lines.
        metadata: from the file.
        remarks: what in the file could not be used.
    """

    text: str
    headings: Mapping[int, str] = field(default_factory=dict)
    metadata: WorkMetadata = NO_METADATA
    remarks: tuple[PindnaError, ...] = ()


PageReader = Callable[[bytes, Path], Content]


def metadata_from(
    values: Mapping[str, Any], path: Path, zone: tzinfo
) -> tuple[WorkMetadata, tuple[PindnaError, ...]]:
    """Return the metadata from fields with any of the ``FIELD_NAMES``, and remarks on unusable fields.

    Args:
        values: text, numbers, dates, or lists of them, by name in lower case.
        path: the file that contains them.
        zone: of dates without a zone.
    """
    remarks: list[PindnaError] = []
    said: dict[str, Any] = {}
    for name, spellings in FIELD_NAMES.items():
        text = next((shown for spelling in spellings if (shown := _text_of(values.get(spelling)))), "")
        if not text:
            continue
        if len(text) > MAX_FIELD_CHARS:
            remarks.append(LongField(path=readable(path), field=name, limit=MAX_FIELD_CHARS))
        elif name != "published":
            said[name] = text
        elif (day := parse_date(text, zone=zone)) is not None:
            said[name] = day
        else:
            remarks.append(OddDate(path=readable(path), date=text[:_SHOWN_CHARS]))
    return WorkMetadata(**said), tuple(remarks)


def _text_of(value: object) -> str:
    """Return a field's value as one line of text; empty where there is none."""
    if isinstance(value, list | tuple):
        return _CREATOR_MARK.join(text for item in value[:_SHOWN_CHARS] if (text := _text_of(item)))
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return ""
    return " ".join(storable(str(value)).split())
