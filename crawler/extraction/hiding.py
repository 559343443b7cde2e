"""Whether a style makes an element's text invisible, and in which way. Pure.

The screen is 1,280 × 720 pixels. An element may be gone with its whole content, inherit invisibility, be
moved off the screen, or be cut off. In doubt an element is visible, because an animation, an unknown value,
padding or a minimum height may show it.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Literal, TypeAlias

from crawler.extraction.css_values import colour_of, pixels
from crawler.extraction.media import HEIGHT, WIDTH
from crawler.extraction.parsing import BLOCKS, Element
from crawler.extraction.styles import ANIMATION, length, number

Way: TypeAlias = Literal[
    "display",
    "visibility",
    "opacity",
    "content",
    "transform",
    "font",
    "offset",
    "indent",
    "clip",
    "shape",
    "colour",
]

_SIDES = ("left", "right", "top", "bottom")
_BOX = frozenset({"display", "position", "float"})
_MOVING = frozenset(
    {
        *_SIDES,
        *(f"margin-{side}" for side in _SIDES),
        "padding-left",
        "text-indent",
        "transform",
        "translate",
        "position",
    }
)
_SIZES = tuple(f"{bound}{side}" for side in ("width", "height") for bound in ("", "max-"))
# Every style that hides a box has one of these properties.
_SIZING = frozenset(
    {"content-visibility", "transform", "scale", "rotate", "text-indent", "line-height", *_SIZES}
)
_TEXT_SIZING = frozenset({"font-size", "zoom"})
_SHAPING = frozenset({"clip", "clip-path"})
# The properties that decide about each way.
PROPERTIES: dict[Way, frozenset[str]] = {
    "display": frozenset({"display"}),
    "visibility": frozenset({"visibility"}),
    "opacity": frozenset({"opacity", "filter"}),
    "content": _BOX | {"content-visibility"},
    "transform": _BOX | {"transform", "scale", "rotate", "zoom"},
    "font": frozenset({"font-size"}),
    "offset": _MOVING | _BOX,
    "indent": _BOX | {"text-indent", "padding-left", "margin-left", "white-space", "overflow-x"},
    "clip": _BOX
    | {"overflow-x", "overflow-y", "flex", "line-height", "transform"}
    | {f"{bound}{side}" for side in ("width", "height") for bound in ("", "min-", "max-")}
    | {f"padding-{side}" for side in _SIDES},
    "shape": frozenset({"clip", "clip-path", "position"}),
    "colour": frozenset(
        {
            "color",
            "background-color",
            "background-image",
            "background-clip",
            "text-shadow",
            "position",
            "border",
            "top",
            "left",
        }
        | {"margin-top", "margin-bottom", "margin-left"}
        | {"-webkit-text-fill-color", "-webkit-text-stroke"}
    ),
}
# Ways of hiding that an inner element can undo by setting the property again.
INHERITED: dict[Way, frozenset[str]] = {
    "visibility": frozenset({"visibility"}),
    "font": frozenset({"font-size"}),
    "colour": frozenset(
        {"color", "-webkit-text-fill-color", "background-color", "background-image", "text-shadow"}
    ),
}
# Ways of hiding that an inner element can escape by its position.
ESCAPED: frozenset[Way] = frozenset({"offset", "indent", "clip"})

TABLE = frozenset({"table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "col", "colgroup"})
_FUNCTION = re.compile(r"([a-z0-9-]+)\(([^()]*)\)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")
_MAX_OPACITY = 0.05
_MIN_FONT = 2.0  # minimum font size of readable text, in pixels
_MIN_ZOOM = 0.1  # minimum zoom of readable text; browsers treat 0 as 1
_MIN_SCALE = 0.02
_MAX_SIZE = 2.0  # maximum pixels of a box in which nothing is readable
_FAR_LEFT, _VERY_FAR, _FAR_UP = 500.0, 3_000.0, 5_000.0
_PERCENT = 4.0  # pixels per negative percent: a carousel keeps its next picture at -100 %
_LINE_CHARS, _LINE_HEIGHT = 40, 40.0  # characters per line and line height, to estimate the height of a text
_QUARTER_TURN, _HALF_TURN = 90.0, 180.0


def is_inline(style: Mapping[str, str], element: Element | None) -> bool:
    """Return whether an element creates no box, so that sizes and transforms do not apply to it."""
    if style.get("position") in {"absolute", "fixed"} or style.get("float") in {"left", "right"}:
        return False
    display = style.get("display", "")
    if display in {"inline", "contents"}:
        return True
    is_set = display not in {"", "?", "inherit", "initial", "unset", "revert"}
    return not is_set and element is not None and element.tag not in BLOCKS and element.tag != "body"


def ways_of(
    style: Mapping[str, str], element: Element | None = None, *, is_from_top: bool = False
) -> Iterator[Way]:
    """Yield the ways in which a style hides an element's text, apart from colours.

    Args:
        style: style of the element; for a rule alone, as if nothing else were declared.
        element: the element with the style; None for a rule.
        is_from_top: no ancestor is positioned, so offsets start at the top of the page.
    """
    if style.get("display") in {"none", "ruby-text"}:  # readings are not part of the text
        yield "display"
    if style.get("visibility") in {"hidden", "collapse"}:
        yield "visibility"
    if not PROPERTIES["opacity"].isdisjoint(style) and _is_clear(style):
        yield "opacity"
    if not _TEXT_SIZING.isdisjoint(style) and _is_tiny(style):
        yield "font"
    if not _MOVING.isdisjoint(style) and _is_off_screen(style, element, is_from_top=is_from_top):
        yield "offset"
    if not _SHAPING.isdisjoint(style) and _is_shaped_away(style):
        yield "shape"
    if not _SIZING.isdisjoint(style) and not is_inline(style, element):
        yield from _ways_of_box(style, element)


def _ways_of_box(style: Mapping[str, str], element: Element | None) -> Iterator[Way]:
    if style.get("content-visibility") == "hidden" and not _is_in_table(style, element):
        yield "content"
    if _is_flat(style):
        yield "transform"
    if _is_cut_off(style, element):
        yield "clip"
    if _is_indented(style, element):
        yield "indent"


def triggers(style: Mapping[str, str]) -> frozenset[Way]:
    """Return the ways in which a rule could hide an element together with other rules."""
    ways = set(ways_of(style))
    if any(name in style and _size(style, name) is not None for name in _SIZES):
        ways.add("clip")
    if any(abs(length(style, name, percent=_PERCENT)) >= _FAR_LEFT for name in _MOVING if name in style):
        ways.add("offset")
    if "text-indent" in style and abs(length(style, "text-indent", percent=_PERCENT)) >= _FAR_LEFT:
        ways.add("indent")
    if "clip" in style and style["clip"].startswith("rect"):
        ways.add("shape")
    return frozenset(ways)


def _is_clear(style: Mapping[str, str]) -> bool:
    if number(style.get("opacity"), 1.0) <= _MAX_OPACITY:
        return True
    values = (argument for name, argument in _FUNCTION.findall(style.get("filter", "")) if name == "opacity")
    return any(number(argument.strip(), 1.0) <= _MAX_OPACITY for argument in values)


def _is_tiny(style: Mapping[str, str]) -> bool:
    font_size = length(style, "font-size", _MIN_FONT, percent=0.16)
    return font_size < _MIN_FONT or 0 < number(style.get("zoom"), 1.0) < _MIN_ZOOM


def _is_flat(style: Mapping[str, str]) -> bool:
    """Return whether a transform leaves no area, or turns the element's edge to the reader."""
    scales = [number(word, 1.0) for word in style.get("scale", "").split()[:2]]
    if any(abs(scale) < _MIN_SCALE for scale in scales):
        return True
    for name, argument in _FUNCTION.findall(style.get("transform", "")):
        values = [float(text) for text in _NUMBER.findall(argument)]
        if _is_flat_function(name, values, argument):
            return True
    return False


def _is_flat_function(name: str, values: list[float], argument: str) -> bool:
    if not values:
        return False
    if name in {"scale", "scale3d"}:
        return any(abs(value) < _MIN_SCALE for value in values[:2])
    if name in {"scalex", "scaley"}:
        return abs(values[0]) < _MIN_SCALE
    if name == "matrix" and len(values) == 6:  # noqa: PLR2004
        return abs(values[0] * values[3] - values[1] * values[2]) < _MIN_SCALE**2
    is_quarter = "deg" in argument and values[0] % _HALF_TURN == _QUARTER_TURN
    return name in {"rotatex", "rotatey"} and is_quarter


def _size(style: Mapping[str, str], name: str) -> float | None:
    """Return a size in which nothing is readable; None for larger sizes and percentages of a height."""
    value = style.get(name)
    if value is None or (value.endswith("%") and "height" in name):
        return None
    size = pixels(value, percent=12.8)
    return size if size is not None and size <= _MAX_SIZE else None


def _is_cut_off(style: Mapping[str, str], element: Element | None) -> bool:
    """Return whether a box has no height or width and hides its overflow."""
    if "flex" in style or _is_in_table(style, element):
        return False
    for side, ends in (("height", ("top", "bottom")), ("width", ("left", "right"))):
        is_small = any(_size(style, name) is not None for name in (side, f"max-{side}"))
        if side == "height" and not is_small:
            is_small = style.get("line-height") in {"0", "0px"} and style.get("height") in {None, "auto"}
        if not is_small or not _cuts(style, side) or not _is_small(style, f"min-{side}"):
            continue
        if all(_is_small(style, f"padding-{end}") for end in ends):
            return True
    return False


def _cuts(style: Mapping[str, str], side: str) -> bool:
    """Return whether overflow on a side is hidden; hiding on one side also hides the other."""
    overflow = style.get("overflow-y" if side == "height" else "overflow-x", "visible")
    other = style.get("overflow-x" if side == "height" else "overflow-y", "visible")
    return overflow in {"hidden", "clip", "scroll", "auto", "overlay"} or other in {
        "hidden",
        "scroll",
        "auto",
    }


def _is_small(style: Mapping[str, str], name: str) -> bool:
    """Return whether a minimum size or a padding leaves nothing visible; true if it is not set."""
    value = style.get(name)
    if value is None or value in {"auto", "initial", "unset", "revert"}:
        return True
    size = pixels(value, percent=12.8)
    return size is not None and size <= _MAX_SIZE


def _is_in_table(style: Mapping[str, str], element: Element | None) -> bool:
    """Return whether an element is part of a table, where sizes are minimum sizes."""
    display = style.get("display", "")
    return display.startswith("table") or (not display and element is not None and element.tag in TABLE)


def _is_off_screen(style: Mapping[str, str], element: Element | None, *, is_from_top: bool) -> bool:
    position = style.get("position", "static")
    is_placed = position in {"absolute", "fixed", "relative", "sticky"}
    across, down = _translation(style) if not is_inline(style, element) else (0.0, 0.0)
    if is_placed:
        across += _placed(style, "left", "right", WIDTH, is_free=position in {"absolute", "fixed"})
        down += _placed(style, "top", "bottom", HEIGHT, is_free=position in {"absolute", "fixed"})
    if is_placed or (style.get("float") not in {"left", "right"} and not is_inline(style, element)):
        across += _signed(style, "margin-left", WIDTH)
        down += _signed(style, "margin-top", WIDTH)
    indent = max(0.0, length(style, "text-indent", percent=12.8))
    across += length(style, "padding-left", percent=12.8) + indent
    if across <= -_FAR_LEFT:
        return is_placed or across <= -_VERY_FAR or _translation(style)[0] != 0
    up = _FAR_LEFT if position == "fixed" or (is_from_top and position == "absolute") else _FAR_UP
    # content with another position can be scrolled into view
    is_beyond = position == "fixed" and across >= WIDTH
    return is_beyond or (down <= -up and down <= -up - _height(element))


def _placed(style: Mapping[str, str], first: str, last: str, size: float, *, is_free: bool) -> float:
    if pixels(style.get(first), percent=1.0) is not None:
        return _signed(style, first, size)
    other = _signed(style, last, size)
    return size - other if is_free and other < 0 else min(0.0, size - other) if is_free else -other


def _signed(style: Mapping[str, str], name: str, size: float) -> float:
    """Return a length; percentages count in full only if they move an element into the page."""
    value = style.get(name, "")
    return length(style, name, percent=_PERCENT if value.startswith("-") else size / 100)


def _translation(style: Mapping[str, str]) -> tuple[float, float]:
    across = down = 0.0
    for name, argument in _FUNCTION.findall(style.get("transform", "")):
        values = [pixels(value.strip(), percent=_PERCENT) or 0.0 for value in argument.split(",")]
        if name in {"translate", "translatex", "translate3d"}:
            across += values[0]
        if name == "translatey":
            down += values[0]
        if name in {"translate", "translate3d"} and len(values) > 1:
            down += values[1]
        if name == "matrix" and argument.count(",") == 5:  # noqa: PLR2004
            numbers = [float(text) for text in _NUMBER.findall(argument)]
            across, down = across + numbers[4], down + numbers[5]
    words = [pixels(word, percent=_PERCENT) or 0.0 for word in style.get("translate", "").split()]
    return across + (words[0] if words else 0.0), down + (words[1] if len(words) > 1 else 0.0)


def _height(element: Element | None) -> float:
    if element is None:
        return 0.0
    chars = len("".join(element.itertext()))
    return _LINE_HEIGHT * (chars / _LINE_CHARS + sum(1 for _ in element.iter(*BLOCKS)))


def _is_indented(style: Mapping[str, str], element: Element | None) -> bool:
    """Return whether the first line is moved off the screen and is the only line."""
    indent = pixels(style.get("text-indent"), percent=12.8)
    if indent is None:
        return False
    if indent > 0:  # an old technique to show an image instead of the text
        is_cut = style.get("overflow-x") in {"hidden", "clip"} and style.get("white-space") == "nowrap"
        return is_cut and indent >= WIDTH
    shift = -indent - length(style, "padding-left", percent=12.8) - length(style, "margin-left", percent=12.8)
    if shift < _FAR_LEFT:
        return False
    return element is None or _longest_line(element) * 20.0 <= shift


def _longest_line(element: Element) -> float:
    """Return the number of characters of the longest paragraph; infinite if it contains a line break."""
    if next(element.iter("br"), None) is not None:
        return float("inf")
    chars = longest = 0
    for node in element.iter():
        if node.tag in BLOCKS:
            longest, chars = max(longest, chars), 0
        chars += len((node.text or "").strip()) + (
            len((node.tail or "").strip()) if node is not element else 0
        )
    return max(longest, chars)


def _is_shaped_away(style: Mapping[str, str]) -> bool:
    if style.get("position") in {"absolute", "fixed"} and style.get("clip", "").startswith("rect"):
        sides = [pixels(side) for side in re.split(r"[\s,]+", style["clip"][5:-1].strip())]
        top, right, bottom, west = sides if len(sides) == 4 else (None,) * 4  # noqa: PLR2004
        if top is not None and bottom is not None and bottom - top <= 1:
            return True
        if west is not None and right is not None and right - west <= 1:
            return True
    return any(
        _is_empty_shape(name, argument) for name, argument in _FUNCTION.findall(style.get("clip-path", ""))
    )


def _is_empty_shape(name: str, argument: str) -> bool:
    """Return whether a shape has no area, as far as its numbers show."""
    words = argument.partition(" at ")[0].partition(" round ")[0].split()
    if name == "circle":
        return bool(words) and pixels(words[0], percent=1.0) == 0
    if name == "ellipse":
        return any(pixels(word, percent=1.0) == 0 for word in words)
    if name == "inset":
        return _is_empty_inset(words)
    if name in {"rect", "xywh"}:
        return len(words) == 4 and all(pixels(word, percent=1.0) == 0 for word in words)  # noqa: PLR2004
    points = [point.split() for point in argument.split(",") if len(point.split()) == 2]  # noqa: PLR2004
    return (
        name == "polygon" and any(len({point[axis] for point in points}) == 1 for axis in (0, 1))
        if points
        else False
    )


def _is_empty_inset(words: list[str]) -> bool:
    if not words or len(words) > 4:  # noqa: PLR2004
        return False
    top, right = words[0], words[1 % len(words)] if len(words) > 1 else words[0]
    bottom, west = words[2] if len(words) > 2 else top, words[3] if len(words) > 3 else right  # noqa: PLR2004
    for first, other in ((top, bottom), (west, right)):
        shares = [pixels(side, percent=1.0) for side in (first, other) if side.endswith("%")]
        if sum(share or 0.0 for share in shares) >= 99:  # noqa: PLR2004 - per cent
            return True
    return any((pixels(side) or 0.0) >= _FAR_UP for side in (top, right, bottom, west))


def text_colour(style: Mapping[str, str]) -> str | None:
    """Return the text colour of a style; None if it sets none."""
    fill = style.get("-webkit-text-fill-color")
    colour = None if fill in {None, "currentcolor"} else colour_of(fill)
    return colour or colour_of(style.get("color"))


def is_painted_otherwise(style: Mapping[str, str]) -> bool:
    """Return whether text is visible in any colour, because of a shadow, an outline or a picture in it."""
    none = {None, "none", "initial", "unset", "inherit", "0", "0px"}
    return (
        style.get("text-shadow") not in none
        or style.get("-webkit-text-stroke") not in none
        or style.get("background-clip", "").strip() == "text"
    )


def hides(style: Mapping[str, str], element: Element | None = None) -> bool:
    """Return whether a style alone hides an element's text."""
    return next(ways_of(style, element), None) is not None


def is_animated(
    style: Mapping[str, str],
    way: Way,
    frames: Mapping[str, Collection[Mapping[str, str]]],
    *,
    all_known: bool,
) -> bool:
    """Return whether an animation of a style may show what the style hides in a way.

    Args:
        style: style of an element.
        way: the way in which it hides the element.
        frames: name of an animation → declarations of each frame.
        all_known: all sheets of the page are known; otherwise an unknown animation may show anything.
    """
    value = style.get(ANIMATION, "")
    if not value or value in {"none", "initial", "unset", "inherit"}:
        return False
    names = [name for name in re.split(r"[\s,]+", value) if name in frames]
    if not names:
        return not all_known or value == "?"
    return any(
        not PROPERTIES[way].isdisjoint(frame) and way not in ways_of({**style, **frame})
        for name in names
        for frame in frames[name]
    )
