"""Parse bounds of numbers that users type: ``>70``, ``<=70%``, ``70..90``, ``70``. Pure."""

import re

from storage.collections.filters import Comparisons, FieldBound, Sign
from system.errors import PindnaError

_ONE = re.compile(r"\s*(>=|<=|>|<|=|≥|≤|＞|＜)?\s*([0-9]{1,12}(?:\.[0-9]{1,9})?)\s*([%％])?\s*")
_SIGNS: dict[str, Sign] = {"≥": ">=", "≤": "<=", "＞": ">", "＜": "<", "": "=", ">": ">", "<": "<"}
_SIGNS |= {">=": ">=", "<=": "<=", "=": "="}
_MAX_PARTS = 4
_MAX_CHARS = 200


class BadComparison(PindnaError):
    """A text is not a valid bound.

    Attributes:
        text: the text.
    """

    template = "“{text}” is not a comparison. Use >70, <=70, 70..90 or 70, and separate several with commas."


def comparisons(text: str, *, is_share: bool = False) -> Comparisons:
    """Return the bounds in a text; none for an empty text.

    >>> [(own.sign, own.value) for own in comparisons(">70, <=90")]
    [('>', 70.0), ('<=', 90.0)]
    >>> [(own.sign, own.value) for own in comparisons("50%..0.7", is_share=True)]
    [('>=', 0.5), ('<=', 0.7)]

    Args:
        text: the typed text.
        is_share: the numbers are shares from 0 to 1; a number with a percent sign, or above 1, is a
            percentage.

    Raises:
        BadComparison: the text is not valid.
    """
    parts = [condition for condition in re.split("[,，]", text[:_MAX_CHARS]) if condition.strip()]
    if len(parts) > _MAX_PARTS or len(text) > _MAX_CHARS:
        raise BadComparison(text=text[:50])
    return tuple(
        comparison
        for condition in parts
        for comparison in _parse_condition(condition, text, is_share=is_share)
    )


def at_least(value: float) -> Comparisons:
    """Return a lower bound; none for 0."""
    return (FieldBound(">=", value),) if value else ()


def _parse_condition(condition: str, text: str, *, is_share: bool) -> Comparisons:
    ends = [end for end in re.split(r"\.\.|…", condition) if end.strip()]
    parsed = [_ONE.fullmatch(end) for end in ends]
    if not 1 <= len(parsed) <= 2 or not all(parsed):  # noqa: PLR2004
        raise BadComparison(text=text[:50])
    values = [_parse_value(match, text, is_share=is_share) for match in parsed if match]
    signs = [_SIGNS[match[1] or ""] for match in parsed if match]
    if ".." in condition or "…" in condition:
        if len(values) < 2 or signs != ["=", "="]:  # noqa: PLR2004 - from one end to the other
            raise BadComparison(text=text[:50])
        return FieldBound(">=", values[0]), FieldBound("<=", values[1])
    return (FieldBound(signs[0], values[0]),)


def _parse_value(match: re.Match[str], text: str, *, is_share: bool) -> float:
    value = float(match[2])
    if match[3] and not is_share:
        raise BadComparison(text=text[:50])
    return round(value / 100, 6) if is_share and (match[3] or value > 1) else value
