"""Names as people type them: compare spellings, and suggest known names for a mistaken one. Pure."""

from collections.abc import Iterable

from system.errors import MistakenName, UnknownRecord

MAX_NEAR = 5
_MIN_LIKENESS = 60  # of 100, which means that two of three characters agree
_MARKS = " \t\u3000《》〈〉“”\"'"  # what people put around a title


def name_key(name: str) -> str:
    """Return a key that is equal for all spellings of a name.

    The key ignores script (traditional or simplified), width, case and the marks around a title.

    >>> name_key("《青燈渡》") == name_key("青灯渡 ")
    True
    """
    from fingerprint.text.variants import fold  # noqa: PLC0415 - NumPy and tables, for names alone

    return " ".join(fold(name).strip(_MARKS).split()).casefold()


def near_names(name: str, known_names: Iterable[str]) -> tuple[str, ...]:
    """Return at most ``MAX_NEAR`` known names that resemble a name or contain it, the most similar first.

    >>> near_names("西游计", ["西游记", "红楼梦", "西遊記"])
    ('西游记', '西遊記')
    """
    from rapidfuzz import process  # noqa: PLC0415 - for mistaken names alone

    spellings = list(dict.fromkeys(filter(None, known_names)))
    likest = process.extract(
        name_key(name),
        [name_key(spelling) for spelling in spellings],
        scorer=_likeness,
        limit=MAX_NEAR,
        score_cutoff=_MIN_LIKENESS,
    )
    return tuple(spellings[index] for _, _, index in likest)


def _likeness(name: str, other: str, **_: object) -> float:
    """Return how similar two names are, 0 to 100; a match with a part of a name counts slightly less."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - for mistaken names alone

    if not name or not other:
        return 0.0
    return max(fuzz.ratio(name, other), 0.9 * fuzz.partial_ratio(name, other))


def unknown_record(*, kind: str, name: str, known_names: Iterable[str]) -> UnknownRecord:
    """Return the error for an unknown name, with suggestions when known names resemble it.

    Args:
        kind: the kind of record, a translatable word such as ``work`` or ``site``.
        name: as the user wrote it.
        known_names: every name of that kind.
    """
    near = near_names(name, known_names)
    return MistakenName(kind=kind, name=name, near=near) if near else UnknownRecord(kind=kind, name=name)
