"""Values of fields in the form of each surface: cells for programs, cells and lines for readers, JSON."""

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any, TypeVar, assert_never

from analysis.fields.field import Field
from analysis.words.figures import percent
from analysis.words.i18n import N_, Translator
from analysis.words.labels import REVIEWS, word
from storage.records import ClaimedDate, moment_text

R = TypeVar("R")

_REVIEWS: Mapping[Any, str] = REVIEWS
_YES, _NO = N_("yes"), N_("no")
_OF_ZONE, _COMMA = N_("{heading} ({zone})"), N_(", ")
_SHARE_DIGITS = 4


def raw_cell(field: Field[R], record: R) -> object:
    """Return the value of a field for a table of codes; an empty text if the record has no value."""
    value = field.read(record)
    if value is None:
        return value if field.format == "claimed" else ""
    return field.cell(value) if field.cell is not None else _cell(field, value)


def _cell(field: Field[R], value: Any) -> object:
    match field.format:
        case "share":
            return round(value, _SHARE_DIGITS)
        case "truth":
            return int(value)
        case "codes":
            return " ".join(value)
        case "texts":
            return "; ".join(value)
        case "records":
            return len(value)
        case "text" | "number" | "moment" | "claimed" | "code" | "review" | "reason":
            return value
        case _:
            assert_never(field.format)


def code_cell(field: Field[R], record: R) -> object:
    """Return the value of a field for programs; claimed dates are in ISO 8601 too."""
    value = raw_cell(field, record)
    return value.iso() if isinstance(value, ClaimedDate) else value


def heading(field: Field[R], texts: Translator, zone: str) -> str:
    """Return the heading of a column; a heading of times contains the zone."""
    name = texts.gettext(field.label)
    return texts.gettext(_OF_ZONE).format(heading=name, zone=zone) if field.format == "moment" else name


def readable_cell(field: Field[R], record: R, texts: Translator, zone: tzinfo) -> object:
    """Return the value of a field for readers; times are aware, in the zone."""
    value = raw_cell(field, record)
    match field.format:
        case "moment":
            return value.astimezone(zone) if isinstance(value, datetime) else value
        case "truth":
            return texts.gettext(_YES if value else _NO)
        case "review":
            return word(texts, _REVIEWS, str(value) or "open")
        case "reason":
            return texts.reason(str(value))
        case "code" | "codes":
            words = (word(texts, field.words, code) for code in str(value).split())
            return texts.gettext(_COMMA).join(words)
        case "text" | "number" | "share" | "claimed" | "texts" | "records":
            return value
        case _:
            assert_never(field.format)


def shown(field: Field[R], record: R, texts: Translator, zone: tzinfo) -> str:
    """Return the value of a field as text for a screen; empty if there is nothing to show."""
    value = field.read(record)
    if value in (None, ""):
        return ""
    match field.format:
        case "share":
            return percent(value)
        case "number":
            return f"{value:,}"
        case "moment":
            return moment_text(value, zone)
        case "claimed":
            return str(value)
        case _:
            return str(readable_cell(field, record, texts, zone))


def fact_lines(
    fields: Iterable[Field[R]], record: R, texts: Translator, zone: tzinfo
) -> Iterable[tuple[str, str]]:
    """Yield label and value of each field that is not empty."""
    for field in fields:
        if value := shown(field, record, texts, zone):
            yield texts.gettext(field.label_on("facts")), value


def json_value(field: Field[R], record: R) -> object:
    """Return the value of a field as ``--json`` prints it."""
    value = field.read(record)
    if value is None:
        return None
    return _plain(field, value) if field.plain is None else field.plain(value)


def _plain(field: Field[R], value: Any) -> object:
    match field.format:
        case "moment":
            return value.isoformat()
        case "claimed":
            return value.iso()
        case "review":
            return value or "open"
        case "codes" | "texts" | "records":
            return list(value)
        case "text" | "number" | "share" | "truth" | "code" | "reason":
            return value
        case _:
            assert_never(field.format)


def json_object(fields: Iterable[Field[R]], record: R) -> dict[str, object]:
    """Return fields as the object that ``--json`` prints."""
    return {field.name_on("json"): json_value(field, record) for field in fields}
