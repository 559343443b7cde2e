"""Values of filters in the address of a list. An impossible value is an error and never ignored. Pure."""

from datetime import datetime, timedelta, tzinfo

from system.errors import PindnaError
from system.messages import N_

_MIN_YEAR, _MAX_YEAR = 1, 9000
_DAY_CHARS = len("2026-11-23")
_SHOWN_CHARS = 50


class BadFilter(PindnaError):
    """A filter in an address has an impossible value. Data: ``name``, ``text``."""

    template = N_("The list cannot be filtered by {name} “{text}”. Choose again above.")


def among(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return a value if it is allowed or empty.

    Raises:
        BadFilter: it is another one.
    """
    if value and value not in allowed:
        raise BadFilter(name=name, text=value[:_SHOWN_CHARS])
    return value


def since_of(name: str, value: str, zone: tzinfo) -> datetime | None:
    """Return the beginning of a day, or a timestamp with zone as the console sends it; None for no text.

    Raises:
        BadFilter: the text is no day.
    """
    text = value.strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadFilter(name=name, text=value[:_SHOWN_CHARS]) from None
    if not _MIN_YEAR < moment.year < _MAX_YEAR or (moment.tzinfo is None) != (len(text) == _DAY_CHARS):
        raise BadFilter(name=name, text=value[:_SHOWN_CHARS])
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def until_of(name: str, value: str, zone: tzinfo) -> datetime | None:
    """Return the first moment after a day, because the period includes that day; None for an empty text.

    Raises:
        BadFilter: the text is no day.
    """
    if len(value.strip()) > _DAY_CHARS:
        raise BadFilter(name=name, text=value[:_SHOWN_CHARS])
    day = since_of(name, value, zone)
    return day + timedelta(days=1) if day else None
