"""Whether a group of CSS rules applies to a desktop screen of 1,280 × 720 pixels. Pure.

Each condition is true, false, or undecided (None).
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

Holds: TypeAlias = bool | None

WIDTH, HEIGHT = 1280.0, 720.0  # size of the screen, in pixels
_EM = 16.0
_UNITS = {
    "px": 1.0,
    "em": _EM,
    "rem": _EM,
    "pt": 4 / 3,
    "cm": 96 / 2.54,
    "in": 96.0,
    "mm": 96 / 25.4,
    "": 1.0,
}
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_FEATURE = re.compile(r"([\w-]+)\s*(?::\s*(.+))?", re.DOTALL)
_VALUE = re.compile(rf"({_NUMBER})\s*([a-z]*)(?:\s*/\s*({_NUMBER}))?")
_RANGE = re.compile(r"(<=|>=|<|>|=)")
_TYPES = {"all": True, "screen": True, "print": False, "speech": False}
_MEASURES = {
    "width": WIDTH,
    "height": HEIGHT,
    "device-width": WIDTH,
    "device-height": HEIGHT,
    "aspect-ratio": WIDTH / HEIGHT,
    "device-aspect-ratio": WIDTH / HEIGHT,
    "resolution": 1.0,
    "device-pixel-ratio": 1.0,
    "color": 8.0,
    "monochrome": 0.0,
    "color-index": 0.0,
    "grid": 0.0,
}
_WORDS = {
    "orientation": {"landscape"},
    "hover": {"hover"},
    "any-hover": {"hover"},
    "pointer": {"fine"},
    "any-pointer": {"fine"},
    "prefers-color-scheme": {"light"},
    "prefers-reduced-motion": {"no-preference"},
    "prefers-reduced-data": {"no-preference"},
    "prefers-contrast": {"no-preference"},
    "forced-colors": {"none"},
    "inverted-colors": {"none"},
    "scripting": {"enabled"},
    "update": {"fast"},
    "overflow-block": {"scroll"},
    "overflow-inline": {"scroll"},
    "display-mode": {"browser"},
    "color-gamut": {"srgb"},
    "dynamic-range": {"standard"},
}
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda value, bound: value < bound,
    ">": lambda value, bound: value > bound,
    "<=": lambda value, bound: value <= bound,
    ">=": lambda value, bound: value >= bound,
    "=": lambda value, bound: value == bound,
}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_DPI = {"dpi": 1 / 96, "dpcm": 2.54 / 96, "dppx": 1.0, "x": 1.0}
_MAX_CHARS = 1_000  # maximum characters of a condition


def media_apply(queries: str | None) -> Holds:
    """Return whether a list of media queries includes the screen."""
    if not queries or not queries.strip():
        return True
    if len(queries) > _MAX_CHARS:
        return None
    return _any(_query(query.strip().lower()) for query in _split(queries, ","))


def supports(condition: str) -> Holds:
    """Return whether browsers support the condition of ``@supports``; current ones support nearly all."""
    if len(condition) > _MAX_CHARS:
        return None
    return _combined(condition.strip().lower(), _supported)


def _query(query: str) -> Holds:
    is_negated = query.startswith("not ") and not query[4:].lstrip().startswith("(")
    words = re.match(r"(?:only\s+|not\s+)?([a-z-]+)\s*(?:and\s+|$)", query)
    if words is None or words[1] in {"not", "only"}:
        return _combined(query, _feature)
    of_type = _TYPES.get(words[1], False)
    rest = query[words.end() :]
    holds = False if of_type is False else _combined(rest, _feature) if rest else of_type
    return _not(holds) if is_negated else holds


def _combined(condition: str, leaf: Callable[[str], Holds], depth: int = 0) -> Holds:
    text = condition.strip()
    if depth > 10:  # noqa: PLR2004
        return None
    for word, combine in ((" or ", _any), (" and ", _all)):
        parts = _split(text, word)
        if len(parts) > 1:
            return combine(_combined(operand, leaf, depth + 1) for operand in parts)
    if text.startswith("not") and text[3:].lstrip().startswith(("(", "selector(")):
        return _not(_combined(text[3:], leaf, depth + 1))
    if text.startswith("(") and text.endswith(")"):
        inner = text[1:-1].strip()
        if inner.startswith(("(", "not ", "not(")) or _split(inner, " and ")[1:] or _split(inner, " or ")[1:]:
            return _combined(inner, leaf, depth + 1)
        return leaf(inner)
    return leaf(text) if leaf is _supported else None


def _feature(text: str) -> Holds:
    """Return whether a media feature holds; a query with an unknown one never holds."""
    parts = _RANGE.split(text)
    if len(parts) > 1:
        return _range([operand.strip() for operand in parts])
    match = _FEATURE.fullmatch(text.strip())
    if match is None:
        return None
    name, value = match[1].removeprefix("-webkit-"), (match[2] or "").strip()
    if name in _WORDS:
        return value in _WORDS[name] if value else "none" not in _WORDS[name]
    return _measured(name, value)


def _measured(name: str, value: str) -> Holds:
    bound, plain = (
        (name[:3], name[4:].removeprefix("-webkit-")) if name[:4] in {"min-", "max-"} else ("", name)
    )
    if plain not in _MEASURES:
        return None
    measure, number = _MEASURES[plain], _number(value)
    if not value and not bound:
        return bool(measure)
    return (
        None
        if number is None
        else {"min": measure >= number, "max": measure <= number}.get(bound, measure == number)
    )


def _range(parts: list[str]) -> Holds:
    """Return whether ``400px <= width < 800px`` holds."""
    operands, operators = parts[::2], parts[1::2]
    at = next((number for number, name in enumerate(operands) if name in _MEASURES), None)
    if at is None:
        return None
    measure = _MEASURES[operands[at]]
    results: list[Holds] = []
    for number, operator in enumerate(operators):
        other = operands[number] if number < at else operands[number + 1]
        value = _number(other)
        sign = _TURNED[operator] if number < at else operator
        results.append(None if value is None else _OPERATORS[sign](measure, value))
    return _all(iter(results))


def _number(text: str) -> float | None:
    match = _VALUE.fullmatch(text)
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    if match[3]:
        return number / float(match[3]) if float(match[3]) else None
    scale = _UNITS.get(unit) or _DPI.get(unit)
    return None if scale is None else number * scale


_UNSUPPORTED = re.compile(r"-(?:moz|ms|o)-|accelerator|behavior|selector\(\s*:?:-(?:moz|ms)")
_DECLARATION = re.compile(r"(--)?-?[a-z][a-z-]*\s*:\s*\S.*", re.DOTALL)
_VALUES = {
    "display": re.compile(
        r"none|block|inline|inline-block|(?:inline-)?(?:flex|grid|table)|flow-root|contents|list-item|ruby|-webkit-(?:inline-)?box|table-[a-z-]+"
    ),
    "position": re.compile(r"static|relative|absolute|fixed|(?:-webkit-)?sticky"),
}


def _supported(text: str) -> Holds:
    if _UNSUPPORTED.search(text):
        return False
    if text.startswith("selector("):
        return True
    if _DECLARATION.fullmatch(text) is None:
        return None
    name, _, value = text.partition(":")
    supported_values = _VALUES.get(name.strip())
    if supported_values is not None:
        return supported_values.fullmatch(value.strip()) is not None
    return True if name.strip() in _KNOWN_PROPERTIES or name.startswith("--") else None


_KNOWN_PROPERTIES = frozenset(
    [
        "color",
        "background",
        "background-color",
        "background-clip",
        "-webkit-background-clip",
        "opacity",
        "visibility",
        "width",
        "height",
        "gap",
        "grid-template-columns",
        "grid-template-areas",
        "grid-area",
        "flex",
        "flex-wrap",
        "order",
        "object-fit",
        "aspect-ratio",
        "filter",
        "backdrop-filter",
        "-webkit-backdrop-filter",
        "transform",
        "transition",
        "animation",
        "clip-path",
        "mask",
        "-webkit-mask",
        "overflow",
        "text-shadow",
        "inset",
        "margin",
        "padding",
        "float",
        "content",
        "line-clamp",
        "-webkit-line-clamp",
        "-webkit-overflow-scrolling",
        "font-variation-settings",
        "scroll-behavior",
        "touch-action",
        "will-change",
        "contain",
        "content-visibility",
        "direction",
    ]
) - {"-webkit-overflow-scrolling", "line-clamp"}


def _split(text: str, separator: str) -> list[str]:
    if separator not in text:
        return [text]
    parts, depth, start, at = list[str](), 0, 0, 0
    while at < len(text):
        char = text[at]
        depth += (char == "(") - (char == ")")
        if depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            at += len(separator)
            start = at
            continue
        at += 1
    return [*parts, text[start:]]


def _not(holds: Holds) -> Holds:
    return None if holds is None else not holds


def _any(results: Iterable[Holds]) -> Holds:
    outcomes = list(results)
    return True if True in outcomes else None if None in outcomes else False


def _all(results: Iterable[Holds]) -> Holds:
    outcomes = list(results)
    return False if False in outcomes else None if None in outcomes else True
