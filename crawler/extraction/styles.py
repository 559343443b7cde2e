"""CSS declarations, as far as they decide whether and how an element's text is visible. Pure.

Declarations that a browser would reject are left out, so an earlier declaration counts. Shorthands are
expanded. Values that only a browser can compute are :data:`UNKNOWN`; they hide nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from crawler.extraction.css_syntax import declaration, declarations, split_body, unescape_css
from crawler.extraction.css_values import GLOBAL, UNKNOWN, colour_of, is_length, pixels
from crawler.extraction.media import media_apply
from system.patterns import re

Style: TypeAlias = dict[str, str]

ANIMATION = "animation-name"
_MAX_VALUE_CHARS = 200  # maximum characters of a declaration's value; longer ones are pictures
_MAX_CACHED_CHARS = 100  # maximum characters of a declaration that is cached for other rules
_MAX_KEPT_CHARS = 2_000  # maximum characters of a declaration of a sheet that is stored
# Values of ``content`` that may be text, not an icon: Chinese, its punctuation, an attribute.
_ADDS_TEXT = re.compile("attr\\(|var\\(|[\u2e80-\ud7ff\uf900-\uffef\U00020000-\U000323af]")
_VARIABLE = re.compile(r"\b(?:var|env)\(", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\d*(?:e[+-]?\d{1,3})?%?", re.ASCII)
_FUNCTIONS = re.compile(r"(?:[a-z0-9-]+\((?:[^()]|\([^()]*+\))*+\)[\s,]*+)+")
_FUNCTION_NAME = re.compile(r"([a-z0-9-]+)\((?:[^()]|\([^()]*+\))*+\)")
_FILTERS = frozenset(
    [
        "blur",
        "brightness",
        "contrast",
        "drop-shadow",
        "grayscale",
        "hue-rotate",
        "invert",
        "opacity",
        "saturate",
        "sepia",
        "url",
    ]
)
_TRANSFORMS = frozenset(
    [
        "matrix",
        "matrix3d",
        "translate",
        "translatex",
        "translatey",
        "translatez",
        "translate3d",
        "scale",
        "scalex",
        "scaley",
        "scalez",
        "scale3d",
        "rotate",
        "rotatex",
        "rotatey",
        "rotatez",
        "rotate3d",
        "skew",
        "skewx",
        "skewy",
        "perspective",
    ]
)
_SHAPES = frozenset(["inset", "circle", "ellipse", "polygon", "path", "rect", "xywh", "shape", "url"])
_RECT = re.compile(
    r"rect\(\s*([^,\s()]+)(\s*,\s*|\s+)([^,\s()]+)(?:\2|\s*,\s*|\s+)([^,\s()]+)(?:\s*,\s*|\s+)([^,\s()]+)\s*\)"
)
_FONT = re.compile(
    r"(?:^|\s)(?P<size>[+-]?[\d.]+[a-z%]*|(?:x+-)?(?:small|large)|medium|smaller|larger)(?:\s*/\s*(?P<line>[\w.%]+))?\s+\S"
)
_BOX_SIDES = ("top", "right", "bottom", "left")
_DISPLAYS = frozenset(
    [
        "none",
        "block",
        "inline",
        "inline-block",
        "flex",
        "inline-flex",
        "grid",
        "inline-grid",
        "flow-root",
        "contents",
        "list-item",
        "table",
        "inline-table",
        "table-row",
        "table-cell",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "table-column",
        "table-column-group",
        "table-caption",
        "ruby",
        "ruby-base",
        "ruby-text",
        "-webkit-box",
        "-webkit-inline-box",
        "-webkit-flex",
        "-webkit-inline-flex",
        "math",
        "flow",
        "run-in",
    ]
) - {"run-in"}
_TWO_DISPLAYS = re.compile(
    r"(?:block|inline|list-item|flow|flow-root|table|flex|grid|ruby|math)(?:\s+(?:block|inline|list-item|flow|flow-root|table|flex|grid|ruby|math)){1,2}"
)
_SIZE_WORDS = frozenset(
    [
        "auto",
        "none",
        "min-content",
        "max-content",
        "fit-content",
        "stretch",
        "-webkit-fill-available",
        "-webkit-fit-content",
        "-webkit-min-content",
        "-webkit-max-content",
        "contain",
    ]
)
_FONT_SIZES = frozenset(
    [
        "xx-small",
        "x-small",
        "small",
        "medium",
        "large",
        "x-large",
        "xx-large",
        "xxx-large",
        "smaller",
        "larger",
        "math",
    ]
)


def _words(*words: str) -> Callable[[str], bool]:
    return frozenset(words).__contains__


def _is_number(value: str) -> bool:
    return _NUMBER.fullmatch(value) is not None or value.startswith("calc(")


def _is_size(value: str) -> bool:
    return value in _SIZE_WORDS or value.startswith("fit-content(") or is_length(value, signed=False)


def _is_offset(value: str) -> bool:
    return value == "auto" or is_length(value)


def _is_font_size(value: str) -> bool:
    return value in _FONT_SIZES or is_length(value, signed=False)


def _is_display(value: str) -> bool:
    return value in _DISPLAYS or _TWO_DISPLAYS.fullmatch(value) is not None


def _of_functions(names: frozenset[str]) -> Callable[[str], bool]:
    def is_valid(value: str) -> bool:
        return value == "none" or (
            _FUNCTIONS.fullmatch(value) is not None and set(_FUNCTION_NAME.findall(value)) <= names
        )

    return is_valid


def _is_several(value: str) -> bool:
    words = value.split()
    return value == "none" or (1 <= len(words) <= 4 and all(map(_is_part, words)))  # noqa: PLR2004


def _is_part(word: str) -> bool:
    return (
        _is_number(word)
        or is_length(word)
        or word in {"x", "y", "z"}
        or re.fullmatch(r"-?[\d.]+(deg|turn|rad|grad)", word) is not None
    )


def _is_clip(value: str) -> bool:
    match = _RECT.fullmatch(value)
    sides = match.group(1, 3, 4, 5) if match else ()
    is_even = match is not None and value.count(",") in {0, 3}
    return value == "auto" or (is_even and all(side == "auto" or is_length(side) for side in sides))


def _is_zoom(value: str) -> bool:
    return value in {"normal", "reset"} or (_is_number(value) and not value.startswith("-"))


def _is_line_height(value: str) -> bool:
    return value == "normal" or is_length(value, signed=False) or _is_number(value)


def _anything(value: str) -> bool:
    return bool(value)


_OVERFLOW = _words(
    "visible", "hidden", "clip", "scroll", "auto", "overlay", "-webkit-paged-x", "-webkit-paged-y"
)
_VALID: dict[str, Callable[[str], bool]] = {
    "display": _is_display,
    "visibility": _words("visible", "hidden", "collapse"),
    "opacity": _is_number,
    "filter": _of_functions(_FILTERS),
    "transform": _of_functions(_TRANSFORMS),
    "scale": _is_several,
    "translate": _is_several,
    "rotate": _is_several,
    "zoom": _is_zoom,
    "font-size": _is_font_size,
    "line-height": _is_line_height,
    "position": _words("static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"),
    "text-indent": lambda value: any(map(is_length, value.split())),
    "white-space": _anything,
    "overflow-x": _OVERFLOW,
    "overflow-y": _OVERFLOW,
    "clip": _is_clip,
    "clip-path": lambda value: _of_functions(_SHAPES)(value) or value.endswith("-box"),
    "content-visibility": _words("visible", "auto", "hidden"),
    "float": _words("left", "right", "none", "inline-start", "inline-end"),
    "flex": _anything,
    "flex-direction": _words("row", "row-reverse", "column", "column-reverse"),
    "color": lambda value: colour_of(value) is not None,
    "background-color": lambda value: colour_of(value) is not None,
    "background-image": _anything,
    "background-clip": _anything,
    "text-shadow": _anything,
    "-webkit-text-fill-color": lambda value: colour_of(value) is not None,
    "-webkit-text-stroke": _anything,
    "border": lambda value: re.match(r"(?:0|none|hidden|medium none)\b(?!\.)", value) is None,
    ANIMATION: _anything,
    "direction": _words("ltr", "rtl"),
    "unicode-bidi": _words(
        "normal", "embed", "isolate", "bidi-override", "isolate-override", "plaintext", "-webkit-isolate"
    ),
    "order": lambda value: re.fullmatch(r"[+-]?\d{1,9}", value) is not None or value.startswith("calc("),
    **dict.fromkeys(_BOX_SIDES, _is_offset),
    **{f"margin-{side}": _is_offset for side in _BOX_SIDES},
    **{f"padding-{side}": lambda value: is_length(value, signed=False) for side in _BOX_SIDES},
    **{f"{bound}{side}": _is_size for side in ("width", "height") for bound in ("", "min-", "max-")},
}
_ALIASES = {
    "inline-size": "width",
    "block-size": "height",
    "min-inline-size": "min-width",
    "min-block-size": "min-height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
    "word-wrap": "overflow-wrap",
    "-webkit-filter": "filter",
    "-webkit-transform": "transform",
    "-webkit-clip-path": "clip-path",
    "-webkit-background-clip": "background-clip",
    "-webkit-text-stroke-width": "-webkit-text-stroke",
    "-webkit-animation-name": ANIMATION,
    "-webkit-animation": "animation",
    "-webkit-order": "order",
    "-webkit-opacity": "opacity",
    "-webkit-flex": "flex",
    "flex-grow": "flex",
    "flex-basis": "flex",
    "-webkit-flex-direction": "flex-direction",
    "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right",
    "margin-block-start": "margin-top",
    "margin-block-end": "margin-bottom",
    "padding-inline-start": "padding-left",
    "padding-inline-end": "padding-right",
    "padding-block-start": "padding-top",
    "padding-block-end": "padding-bottom",
    "text-fill-color": "-webkit-text-fill-color",
}
# Properties that paint something behind text, apart from backgrounds.
_ALIASES |= dict.fromkeys(
    (f"border-{side}{of}" for side in ("top", "bottom", "left", "right") for of in ("", "-width")), "border"
) | dict.fromkeys(("border-width", "border-image", "box-shadow", "outline"), "border")
_ALL = "all"
_SHORTHANDS = frozenset(
    {
        "overflow",
        "margin",
        "padding",
        "inset",
        "background",
        "font",
        "animation",
        "flex-flow",
        "margin-inline",
        "padding-inline",
        "padding-block",
        "inset-inline",
        "inset-block",
        "margin-block",
        _ALL,
    }
)
_CONTENT = "content"
_PROPERTIES = frozenset(_VALID) | frozenset(_ALIASES) | _SHORTHANDS | {_CONTENT}
# Searched in lower-case text: with re.IGNORECASE, the regex engine could not skip to the first letters.
_VISIBILITY = re.compile(
    r"display|visibility|opacity|font|text-|position|clip|color|overflow|transform|background|filter|scale|transl"
    r"|rotate|zoom|left|right|top|bottom|inset|margin|width|height|-size|order|direction|bidi|content|animation|all\s*:|--|\\"
)


def is_for_screens(media: str | None) -> bool:
    """Return whether a ``media`` attribute includes the screen."""
    return media_apply(media) is True


def affects_visibility(text: str) -> bool:
    """Return whether a style, sheet or property can hide or show an element, or change its text."""
    return _VISIBILITY.search(text.lower()) is not None


def parse_declarations(text: str) -> Style:
    """Return the supported declarations by property; the last valid one of a property counts."""
    normal, important = parse_style(text)
    return {**normal, **important}


def parse_style(text: str) -> tuple[Style, Style]:
    """Return the supported declarations of a style: the normal and the important ones."""
    normal, important = Style(), Style()
    for declared in split_body(text):
        read = _read_declaration if len(declared) <= _MAX_CACHED_CHARS else _read_declaration.__wrapped__
        pairs, is_important = read(declared)
        target = important if is_important else normal
        for prop, plain in pairs:
            if prop == _ALL:
                target.clear()
            target[prop] = plain
    return normal, important


@lru_cache(maxsize=8192)  # cached, because rules share many declarations
def _read_declaration(text: str) -> tuple[Sequence[tuple[str, str]], bool]:
    """Return the properties that a declaration sets, with their values, and whether it is important."""
    read = declaration(text)
    if read is None or read.name not in _PROPERTIES:
        return (), False
    return tuple(_longhands(read.name, read.value)), read.is_important


def kept_declarations(text: str) -> str:
    """Return the declarations of a style that affect visibility, as written; ``content`` only with text."""
    kept = []
    for name, value, is_important in declarations(text):
        is_kept = name in _PROPERTIES or (name.startswith("--") and len(value) <= _MAX_VALUE_CHARS)
        if name == _CONTENT:
            is_kept = _ADDS_TEXT.search(unescape_css(value)) is not None
        if is_kept and len(value) <= _MAX_KEPT_CHARS:
            plain = " ".join(value.split()) if name != _CONTENT else value.replace("\n", " ")
            kept.append(f"{name}:{plain}{'!important' if is_important else ''}")
    return ";".join(kept)


def _longhands(name: str, value: str) -> Iterator[tuple[str, str]]:
    if name == _CONTENT:
        yield name, value[:1000]
        return
    name = _ALIASES.get(name, name)
    value = unescape_css(value).lower().strip()
    is_unknown = _VARIABLE.search(value) is not None
    if name in _SHORTHANDS:
        yield from _spread(name, UNKNOWN if is_unknown else value)
    elif name in _VALID:
        if is_unknown:
            yield name, UNKNOWN
        elif value in GLOBAL or _VALID[name](value):
            yield name, value[:_MAX_VALUE_CHARS]


def _spread(name: str, value: str) -> Iterator[tuple[str, str]]:
    is_same = value in GLOBAL or value == UNKNOWN
    if name == _ALL:
        if value in GLOBAL:
            yield _ALL, value
    elif name == "background":
        yield from _background(value, is_same=is_same)
    elif name == "font":
        match = None if is_same else _FONT.search(value)
        if is_same or match is not None:
            yield "font-size", value if match is None else match["size"]
            yield "line-height", value if match is None else match["line"] or "normal"
    elif name == "animation":
        yield ANIMATION, value
    elif name == "flex-flow":
        words = [value] if is_same else value.split()
        yield from (("flex-direction", word) for word in words if is_same or _VALID["flex-direction"](word))
    else:
        yield from _spread_sides(name, [value] if is_same else _split_values(value), is_same=is_same)


def _spread_sides(name: str, values: list[str], *, is_same: bool) -> Iterator[tuple[str, str]]:
    base, _, axis = name.partition("-")
    if name == "overflow":
        names = ["overflow-x", "overflow-y"]
    elif axis:
        sides = ("left", "right") if axis == "inline" else ("top", "bottom")
        names = [side if base == "inset" else f"{base}-{side}" for side in sides]
    else:
        names = [side if base == "inset" else f"{base}-{side}" for side in _BOX_SIDES]
    if not 1 <= len(values) <= len(names) or not (is_same or all(map(_VALID[names[0]], values))):
        return
    if len(names) == 2:  # noqa: PLR2004
        yield from zip(names, (values[0], values[-1]), strict=True)
        return
    top, right = values[0], values[1] if len(values) > 1 else values[0]
    bottom = values[2] if len(values) > 2 else top  # noqa: PLR2004
    west = values[3] if len(values) > 3 else right  # noqa: PLR2004
    yield from zip(names, (top, right, bottom, west), strict=True)


_PIECE = re.compile(r"(?:[^\s,()]|\((?:[^()]|\([^()]*+\))*+\))+")


def _split_values(value: str) -> list[str]:
    """Return the values of a shorthand; brackets keep theirs together."""
    return _PIECE.findall(value)


def _background(value: str, *, is_same: bool) -> Iterator[tuple[str, str]]:
    if is_same:
        for name in ("background-color", "background-image", "background-clip"):
            yield name, value
        return
    pieces = _split_values(value[:_MAX_VALUE_CHARS])
    colours = [piece for piece in pieces if colour_of(piece) is not None]
    images = [
        piece for piece in pieces if piece.startswith(("url(", "image", "-webkit-")) or "gradient(" in piece
    ]
    yield "background-color", colours[-1] if colours else "transparent"
    yield "background-image", images[0] if images else "none"
    yield "background-clip", "text" if "text" in pieces else "border-box"


def background_of(style: Mapping[str, str]) -> str | None:
    """Return a style's background as a colour; :data:`UNKNOWN` for an image, None if it sets none."""
    if style.get("background-image", "none") not in {"none", *GLOBAL}:
        return UNKNOWN
    colour = colour_of(style.get("background-color"))
    return None if colour in {None, "transparent"} else colour


def number(value: str | None, default: float) -> float:
    """Return a plain number, or a percentage as a share of 1."""
    if value is None or _NUMBER.fullmatch(value) is None:
        return default
    return float(value[:-1]) / 100 if value.endswith("%") else float(value)


def length(
    style: Mapping[str, str], name: str, default: float = 0.0, *, percent: float | None = None
) -> float:
    """Return a property's length in pixels; ``default`` if it is not set or unknown."""
    value = pixels(style.get(name), percent=percent)
    return default if value is None else value
