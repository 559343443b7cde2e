"""Compare the spellings of names, and suggest known names for a mistyped one. Pure."""

from collections.abc import Iterable

from system.errors import MistakenName, UnknownRecord

MAX_NEAR = 5
_MIN_SIMILARITY = 60  # of 100; about two of three characters are equal
_MARKS = " \t\u3000《》〈〉“”\"'"  # blanks, title marks and quotation marks around a title


def name_key(name: str) -> str:
    """Return a key that is equal for all spellings of a name.

    The key ignores script (traditional or simplified), width, case and the marks around a title.

    >>> name_key("《青燈渡》") == name_key("青灯渡 ")
    True
    """
    from fingerprint.text.variants import fold  # noqa: PLC0415 - NumPy and tables, for names alone

    return " ".join(fold(name).strip(_MARKS).split()).casefold()


def similar_names(name: str, known_names: Iterable[str]) -> tuple[str, ...]:
    """Return at most ``MAX_NEAR`` known names that resemble a name or contain it, the most similar first.

    >>> similar_names("西游计", ["西游记", "红楼梦", "西遊記"])
    ('西游记', '西遊記')
    """
    from rapidfuzz import process  # noqa: PLC0415 - for mistaken names alone

    spellings = list(dict.fromkeys(filter(None, known_names)))
    closest = process.extract(
        name_key(name),
        [name_key(spelling) for spelling in spellings],
        scorer=_similarity,
        limit=MAX_NEAR,
        score_cutoff=_MIN_SIMILARITY,
    )
    return tuple(spellings[index] for _, _, index in closest)


def _similarity(name: str, other: str, **_: object) -> float:
    """Return the similarity of two names, 0 to 100. A match with a part of a name counts slightly less."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - for mistaken names alone

    if not name or not other:
        return 0.0
    return max(fuzz.ratio(name, other), 0.9 * fuzz.partial_ratio(name, other))


def unknown_record(*, kind: str, name: str, known_names: Iterable[str]) -> UnknownRecord:
    """Return the error for an unknown name, with suggestions if known names resemble it.

    Args:
        kind: the kind of record, a translatable word such as ``work`` or ``site``.
        name: the name as the user wrote it.
        known_names: all names of records of that kind.
    """
    near = similar_names(name, known_names)
    return MistakenName(kind=kind, name=name, near=near) if near else UnknownRecord(kind=kind, name=name)
