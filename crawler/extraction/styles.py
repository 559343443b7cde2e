"""What style sheets and style attributes say, as far as it decides whether something is seen. Pure.

Only what hides is understood: display, visibility, opacity, size of type, places off the screen, clipping,
and colours. Sheets are cut into rules by their braces, so a broken sheet is read up to where it breaks.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from crawler.extraction.parsing import BLOCKS, Element, is_element

Style: TypeAlias = dict[str, str]

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # one that nobody ends takes all the rest
_MARK = re.compile(r"[{};]")
_SCREEN = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)\s*", re.IGNORECASE)
_FAR = 500.0  # pixels off the screen
_EM_PIXELS = 16.0
_FAINT = 0.05
_TINY = 2.0  # pixels of type
_MAX_VALUE_CHARS = 200  # of a declaration; longer ones are pictures
# Names whose values are asked for below; others are not kept.
_NAMES = frozenset(
    {
        "display",
        "visibility",
        "opacity",
        "filter",
        "transform",
        "font-size",
        "position",
        "left",
        "top",
        "right",
        "margin-left",
        "text-indent",
        "overflow",
        "height",
        "max-height",
        "width",
        "clip",
        "color",
        "background",
        "background-color",
    }
)
_SEEN = re.compile(
    r"display|visibility|opacity|font-size|text-indent|position|clip|color|overflow|transform|background",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"(-?(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}))\d*(e[+-]?\d{1,9})?\s*(px|em|rem|pt|%|vw|vh)?", re.ASCII
)
_SHADE = r"\s*(\d{1,3})(?:\.\d*)?"
_COLOUR = re.compile(
    r"#(?P<digits>[0-9a-f]{3,8})\b"
    rf"|rgba?\({_SHADE}\s*[,\s]{_SHADE}\s*[,\s]{_SHADE}\s*(?:[,/]\s*(?P<alpha>\d{{0,9}}\.?\d{{1,9}})\d*%?\s*)?\)"
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
    """Yield (selectors, declarations) of the rules that hold on a screen; linear, whatever the sheet is."""
    plain = _COMMENT.sub(" ", text)
    start, prelude = 0, ""
    groups, off = list[bool](), 0  # of each open group: whether its rules hold; how many of them do not
    for mark in _MARK.finditer(plain):
        if mark[0] == ";":
            start = start if prelude else mark.end()  # @import …; between rules
            continue
        piece, start = plain[start : mark.start()].strip(), mark.end()
        if mark[0] == "{":
            prelude = "" if piece.startswith("@") else piece
            if not prelude:
                groups.append(not piece or _SCREEN.fullmatch(piece) is not None)
                off += not groups[-1]
        elif prelude:
            if not off:
                yield prelude, piece
            prelude = ""
        elif groups:
            off -= not groups.pop()


def says_what_is_seen(text: str) -> bool:
    """Return whether a style, a sheet or a name has to do with what is seen."""
    return _SEEN.search(text) is not None


def declarations(text: str) -> Style:
    """Return the declarations of a style that are understood, by name; the last of a name counts."""
    style: Style = {}
    for each in text.split(";"):
        name, colon, value = each.partition(":")
        if colon and (plain := name.strip().lower()) in _NAMES:
            style[plain] = value.replace("!important", "").strip().lower()[:_MAX_VALUE_CHARS]
    return style


def hides(style: Mapping[str, str], element: Element | None = None) -> bool:
    """Return whether a style makes an element invisible; the element tells a container from a passage."""
    return (
        style.get("display") == "none"
        or style.get("visibility") in {"hidden", "collapse"}
        or _number(style.get("opacity"), 1.0) <= _FAINT
        or "alpha(opacity=0)" in style.get("filter", "").replace(" ", "")
        or "scale(0)" in style.get("transform", "")
        or (
            _number(style.get("font-size"), _EM_PIXELS) < _TINY
            and not (element is not None and _holds_blocks(element))
        )
        or _is_off_screen(style)
        or _is_clipped(style)
    )


def _is_off_screen(style: Mapping[str, str]) -> bool:
    if style.get("position") in {"absolute", "fixed"}:
        return any(_number(style.get(side), 0.0) <= -_FAR for side in ("left", "top", "right", "margin-left"))
    return _number(style.get("text-indent"), 0.0) <= -_FAR


def _is_clipped(style: Mapping[str, str]) -> bool:
    if style.get("overflow") == "hidden":
        sizes = (style.get("height"), style.get("max-height"), style.get("width"))
        if any(size is not None and _number(size, 1.0) <= 0 for size in sizes):
            return True
    clip = "".join(style.get("clip", "").split())
    return (
        clip.startswith(("rect(0,0,0,0", "rect(0000", "rect(1px,1px,1px,1px"))
        and style.get("position") == "absolute"
    )


def _number(text: str | None, default: float) -> float:
    """Return a length in pixels, or a bare number."""
    found = _LENGTH.match(text or "")
    if found is None:
        return default
    scale = _EM_PIXELS if found[3] in {"em", "rem"} else 1.0
    return float(found[1] + (found[2] or "")) * scale


def _holds_blocks(element: Element) -> bool:
    """Return whether it is a container whose children set a size of their own (an old way to close gaps)."""
    return any(
        is_element(each) and (each.tag in BLOCKS or each.get("style") or each.get("class"))
        for each in element
    )


def ground_of(style: Mapping[str, str]) -> str | None:
    """Return the background of a style; an image counts as a colour of its own."""
    value = style.get("background-color") or style.get("background")
    if value is None or value in {"none", "transparent", "inherit", "initial"}:
        return None
    return colour_of(value) or value


def colour_of(value: str | None) -> str | None:
    """Return a colour as ``#rrggbb`` or ``transparent``, None when there is none in the value."""
    colour = _COLOUR.search((value or "").lower())
    if colour is None:
        return None
    if colour["name"]:
        return _COLOURS.get(colour["name"], colour["name"])
    if colour["digits"]:
        digits = colour["digits"]
        return "#" + ("".join(each * 2 for each in digits[:3]) if len(digits) < 6 else digits[:6])  # noqa: PLR2004
    if colour["alpha"] and float(colour["alpha"]) <= _FAINT:
        return "transparent"
    return "#" + "".join(f"{min(255, int(each)):02x}" for each in colour.group(2, 3, 4))
