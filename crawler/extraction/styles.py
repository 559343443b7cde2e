"""Rules and declarations of CSS, as far as they decide whether an element is visible. Pure.

Understood are display, visibility, opacity, font size, positions off the screen, clipping and colours. Sheets
are cut into rules by their braces, so a broken sheet is read up to where it breaks.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from crawler.extraction.parsing import BLOCKS, Element, is_element

Style: TypeAlias = dict[str, str]

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # an unclosed one takes all the rest
_SCREEN = r"\s*(?:only\s+)?(?:screen|all)\s*"  # a media query that every screen matches
_SCREEN_GROUP = re.compile(rf"@media(?=\s){_SCREEN}", re.IGNORECASE)
_SCREEN_LIST = re.compile(rf"(?:^|,){_SCREEN}(?:,|$)", re.IGNORECASE)
_OFF_SCREEN_PIXELS = 500.0
_EM_PIXELS = 16.0
_MAX_HIDDEN_OPACITY = 0.05
_MIN_FONT_PIXELS = 2.0
_MAX_VALUE_CHARS = 200  # of a declaration; longer ones are pictures
# One of which a style must have that hides without colours; most styles of a sheet have none.
_HIDING = frozenset(
    {
        "display",
        "visibility",
        "opacity",
        "filter",
        "transform",
        "font-size",
        "position",
        "text-indent",
        "overflow",
        "clip",
    }
)
# Properties whose values are asked for below; others are not kept.
_PROPERTIES = _HIDING | {
    "left",
    "top",
    "right",
    "margin-left",
    "height",
    "max-height",
    "width",
    "color",
    "background",
    "background-color",
}
# Without which a style neither hides nor shows; the others only say how it hides.
DECISIVE = _HIDING | {"color", "background", "background-color"}
# Searched in lower case, for with the flag the engine does not skip to the first letters.
_VISIBILITY = re.compile(
    r"display|visibility|opacity|font-size|text-indent|position|clip|color|overflow|transform|background"
)
_LENGTH = re.compile(
    r"(-?(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}))\d*(e[+-]?\d{1,9})?\s*(px|em|rem|pt|%|vw|vh)?", re.ASCII
)
_CHANNEL = r"\s*(\d{1,3})(?:\.\d*)?"
_COLOUR = re.compile(
    r"#(?P<digits>[0-9a-f]{3,8})\b"
    rf"|rgba?\({_CHANNEL}\s*[,\s]{_CHANNEL}\s*[,\s]{_CHANNEL}\s*(?:[,/]\s*(?P<alpha>\d{{0,9}}\.?\d{{1,9}})\d*%?\s*)?\)"
    r"|\b(?P<name>white|black|transparent|red|gray|grey)\b",
    re.ASCII,
)
_COLOURS = {
    "white": "#ffffff",
    "black": "#000000",
    "red": "#ff0000",
    "gray": "#808080",
    "grey": "#808080",
}


def sheet_rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, declarations) of the rules that apply to screens; linear, whatever the sheet is."""
    plain = _COMMENT.sub(" ", text)
    start, prelude = 0, ""
    groups, off = list[bool](), 0  # whether the rules of each open group apply; how many groups' do not
    while (end := plain.find("}", start)) >= 0:
        while (brace := plain.find("{", start, end)) >= 0:
            piece, start = plain[start:brace], brace + 1
            opening = (piece if prelude else piece.rpartition(";")[2]).strip()  # behind @import …;
            prelude = "" if opening.startswith("@") else opening
            if not prelude:
                groups.append(not opening or _SCREEN_GROUP.fullmatch(opening) is not None)
                off += not groups[-1]
        if prelude:
            if not off:
                yield prelude, plain[start:end].strip()
            prelude = ""
        elif groups:
            off -= not groups.pop()
        start = end + 1


def is_for_screens(media: str | None) -> bool:
    """Return whether a ``media`` attribute includes every screen."""
    return not media or not media.strip() or _SCREEN_LIST.search(media) is not None


def affects_visibility(text: str) -> bool:
    """Return whether a style, a sheet or a property can hide or show an element."""
    return _VISIBILITY.search(text.lower()) is not None


def parse_declarations(text: str) -> Style:
    """Return the declarations that are understood, by property; the last of a property counts."""
    style: Style = {}
    for declaration in text.lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon and (plain := name.strip()) in _PROPERTIES:
            style[plain] = value.replace("!important", "").strip()[:_MAX_VALUE_CHARS]
    return style


def hides(style: Mapping[str, str], element: Element | None = None) -> bool:
    """Return whether a style makes an element invisible; the element tells a container from a passage."""
    return not _HIDING.isdisjoint(style) and (
        style.get("display") == "none"
        or style.get("visibility") in {"hidden", "collapse"}
        or _number(style.get("opacity"), 1.0) <= _MAX_HIDDEN_OPACITY
        or "alpha(opacity=0)" in style.get("filter", "").replace(" ", "")
        or "scale(0)" in style.get("transform", "")
        or (
            _number(style.get("font-size"), _EM_PIXELS) < _MIN_FONT_PIXELS
            and not (element is not None and _holds_blocks(element))
        )
        or _is_off_screen(style)
        or _is_clipped(style)
    )


def _is_off_screen(style: Mapping[str, str]) -> bool:
    if style.get("position") in {"absolute", "fixed"}:
        return any(
            _number(style.get(side), 0.0) <= -_OFF_SCREEN_PIXELS
            for side in ("left", "top", "right", "margin-left")
        )
    return _number(style.get("text-indent"), 0.0) <= -_OFF_SCREEN_PIXELS


def _is_clipped(style: Mapping[str, str]) -> bool:
    if style.get("overflow") == "hidden":
        sizes = (style.get("height"), style.get("max-height"), style.get("width"))
        if any(size is not None and _number(size, 1.0) <= 0 for size in sizes):
            return True
    clip = "".join(style["clip"].split()) if "clip" in style else ""
    return (
        clip.startswith(("rect(0,0,0,0", "rect(0000", "rect(1px,1px,1px,1px"))
        and style.get("position") == "absolute"
    )


def _number(text: str | None, default: float) -> float:
    """Return a length in pixels, or a bare number."""
    length = _LENGTH.match(text) if text else None
    if length is None:
        return default
    scale = _EM_PIXELS if length[3] in {"em", "rem"} else 1.0
    return float(length[1] + (length[2] or "")) * scale


def _holds_blocks(element: Element) -> bool:
    """Return whether it is a container whose children set a size of their own (an old way to close gaps)."""
    return any(
        is_element(child) and (child.tag in BLOCKS or child.get("style") or child.get("class"))
        for child in element
    )


def background_of(style: Mapping[str, str]) -> str | None:
    """Return the background of a style; an image counts as a colour of its own."""
    value = style.get("background-color") or style.get("background")
    if value is None or value in {"none", "transparent", "inherit", "initial"}:
        return None
    return colour_of(value) or value


def colour_of(value: str | None) -> str | None:
    """Return a colour as ``#rrggbb`` or ``transparent``, None when there is none in the value."""
    colour = _COLOUR.search(value.lower()) if value else None
    if colour is None:
        return None
    if colour["name"]:
        return _COLOURS.get(colour["name"], colour["name"])
    if colour["digits"]:
        digits = colour["digits"]
        return "#" + ("".join(digit * 2 for digit in digits[:3]) if len(digits) < 6 else digits[:6])  # noqa: PLR2004
    if colour["alpha"] and float(colour["alpha"]) <= _MAX_HIDDEN_OPACITY:
        return "transparent"
    return "#" + "".join(f"{min(255, int(channel)):02x}" for channel in colour.group(2, 3, 4))
