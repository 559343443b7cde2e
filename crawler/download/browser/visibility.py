"""Decides from computed styles whether a reader sees a text box. Pure.

Text that a reader reaches by scrolling counts as visible, and so does the lower part of a long box that a
button unfolds. In doubt a text is visible; hidden text is compared as well, as part of the rest.
"""

import re
from dataclasses import dataclass, replace
from functools import cache

from crawler.download.browser.snapshot import Rect, Style, TextBox

MIN_OPACITY = 0.05
_MIN_SIZE = 4.0  # minimum height of readable letters, in pixels
_MIN_ADVANCE = 0.2  # minimum advance of a letter, in letter heights; with less, letters overlap
_FOLDED = 60.0  # a box that shows at least this many pixels counts as folded, not hidden
_SAME_COLOUR = 10  # maximum difference of a colour channel at which letters and background look the same
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_RGB = re.compile(r"rgba?\(([^)]*)\)")
_NO_AREA = re.compile(
    r"circle\(0(?:px|%)?(?: at|\))|ellipse\(0(?:px|%)? |ellipse\([^ ]+ 0(?:px|%)?(?: at|\))"
)
_FILTERED = re.compile(r"opacity\(([\d.]+)(%?)\)")
_INLINE = ("inline", "contents")

Colour = tuple[float, float, float, float]  # red, green, blue of 255, and opacity
_TRANSPARENT: Colour = (0, 0, 0, 0)
_WHITE: Colour = (255, 255, 255, 1)


@dataclass(frozen=True, slots=True)
class Clip:
    """The area of an element with hidden overflow, and whether it can be scrolled, by axis."""

    rect: Rect
    x_hides: bool
    y_hides: bool
    x_scrolls: bool
    y_scrolls: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The combined styles of an element and its ancestors that affect the visibility of its text.

    Attributes:
        is_hidden: whether no content is shown.
        opacity: product over all elements.
        clips: for content in the flow; ``of_absolute`` and ``of_fixed`` for positioned content.
        ground: colour behind the text; None for a picture, a gradient or an unknown form.
        is_filled_by_ground: whether the letters are cut out of the background.
        runs_backwards: whether letters are forced to run from right to left.
    """

    is_hidden: bool = False
    opacity: float = 1.0
    clips: tuple[Clip, ...] = ()
    of_absolute: tuple[Clip, ...] = ()
    of_fixed: tuple[Clip, ...] = ()
    ground: Colour | None = _WHITE
    is_filled_by_ground: bool = False
    runs_backwards: bool = False


def enter(outer: Surroundings, style: Style, rect: Rect, *, is_root: bool = False) -> Surroundings:
    """Return the surroundings of the text in an element.

    Args:
        outer: of the element.
        style: of the element.
        rect: of the element.
        is_root: whether it is ``html`` or ``body``, whose overflow belongs to the window.
    """
    clips = _outer_clips(outer, style)
    inner = clips if is_root else clips + _own_clips(style, rect)
    is_container = style.transform != "none" or style.filter != "none"
    is_placed = is_container or style.position != "static"
    return replace(
        outer,
        is_hidden=outer.is_hidden or _hides_all(style, rect),
        opacity=outer.opacity * _opacity_of(style),
        clips=inner,
        of_absolute=inner if is_placed else outer.of_absolute,
        of_fixed=inner if is_container else outer.of_fixed,
        ground=_background_of(outer.ground, style),
        is_filled_by_ground=_is_filled(outer, style),
        runs_backwards=_runs_backwards(outer, style),
    )


def _outer_clips(outer: Surroundings, style: Style) -> tuple[Clip, ...]:
    if style.position == "absolute":
        return outer.of_absolute
    return outer.of_fixed if style.position == "fixed" else outer.clips


def _own_clips(style: Style, rect: Rect) -> tuple[Clip, ...]:
    if style.display in _INLINE or (style.overflow_x == "visible" and style.overflow_y == "visible"):
        return ()
    scrolls = ("auto", "scroll")
    return (
        Clip(
            rect,
            style.overflow_x != "visible",
            style.overflow_y != "visible",
            style.overflow_x in scrolls,
            style.overflow_y in scrolls,
        ),
    )


def _hides_all(style: Style, rect: Rect) -> bool:
    if style.content_visibility == "hidden":
        return True
    if style.clip != "auto" and style.position in ("absolute", "fixed") and _is_cut_away(style.clip):
        return True
    return style.clip_path != "none" and _clips_all(style.clip_path, rect)


def _is_cut_away(clip: str) -> bool:
    """Return whether ``rect(top, right, bottom, left)`` leaves nothing to read."""
    sides = [float(number) for number in _NUMBER.findall(clip)]
    if len(sides) != 4:  # noqa: PLR2004 - ``auto`` among them
        return False
    top, right, bottom, left_side = sides
    return bottom - top < _MIN_SIZE or right - left_side < _MIN_SIZE


def _clips_all(clip_path: str, rect: Rect) -> bool:
    if _NO_AREA.search(clip_path):
        return True
    if clip_path.startswith("polygon("):
        return _is_flat(clip_path, rect)
    if not clip_path.startswith("inset("):
        return False
    values = clip_path[len("inset(") :].partition(" round")[0].rstrip(")").split()
    if not 1 <= len(values) <= 4:  # noqa: PLR2004 - sides
        return False
    top, right, bottom, left_side = _four_sides(values)
    height = rect.height - _as_pixels(top, rect.height) - _as_pixels(bottom, rect.height)
    width = rect.width - _as_pixels(left_side, rect.width) - _as_pixels(right, rect.width)
    return height < _MIN_SIZE or width < _MIN_SIZE


def _is_flat(polygon: str, rect: Rect) -> bool:
    """Return whether a polygon of plain lengths has no area."""
    corners = [pair.split() for pair in polygon.partition("(")[2].rstrip(")").split(",")]
    points = [
        (_as_pixels(x, rect.width), _as_pixels(y, rect.height))
        for x, y in (pair for pair in corners if len(pair) == 2)  # noqa: PLR2004 - x and y
    ]
    if len(points) != len(corners):
        return False
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return max(xs) - min(xs) < _MIN_SIZE or max(ys) - min(ys) < _MIN_SIZE


def _four_sides(values: list[str]) -> tuple[str, str, str, str]:
    """Return top, right, bottom, left from one to four values, as CSS does."""
    top = values[0]
    right = values[1] if len(values) > 1 else top
    bottom = values[2] if len(values) > 2 else top  # noqa: PLR2004 - the third
    left_side = values[3] if len(values) > 3 else right  # noqa: PLR2004 - the fourth
    return top, right, bottom, left_side


def _as_pixels(value: str, whole: float) -> float:
    number = _NUMBER.match(value)
    if number is None:
        return 0.0
    return float(number[0]) * whole / 100 if value.endswith("%") else float(number[0])


def _opacity_of(style: Style) -> float:
    opacity = float(style.opacity) if _NUMBER.fullmatch(style.opacity) else 1.0
    filtered = _FILTERED.search(style.filter) if style.filter != "none" else None
    if filtered is not None:
        opacity *= float(filtered[1]) / (100 if filtered[2] else 1)
    return opacity


def _background_of(outer: Colour | None, style: Style) -> Colour | None:
    if style.background_clip == "text":
        return outer
    if style.background_image != "none":
        return None
    colour = colour_of(style.background_color)
    if colour is None or colour[3] == 0:
        return None if colour is None else outer
    return colour if colour[3] == 1 else _blend_colours(colour, outer)


def _blend_colours(colour: Colour, ground: Colour | None) -> Colour | None:
    if ground is None:
        return None
    red, green, blue = (
        upper * colour[3] + lower * (1 - colour[3])
        for upper, lower in zip(colour[:3], ground[:3], strict=True)
    )
    return (red, green, blue, 1)


def _is_filled(outer: Surroundings, style: Style) -> bool:
    if style.background_clip == "text":
        colour = colour_of(style.background_color)
        return style.background_image != "none" or colour is None or colour[3] > 0
    return outer.is_filled_by_ground and style.background_image == "none"


def _runs_backwards(outer: Surroundings, style: Style) -> bool:
    if style.unicode_bidi in ("bidi-override", "isolate-override"):
        return style.direction == "rtl"
    is_inline = style.display in _INLINE and style.unicode_bidi == "normal"
    return outer.runs_backwards and is_inline


@cache
def colour_of(value: str) -> Colour | None:
    """Parse a colour in the browser's form ``rgb()``; None for any other form."""
    if value == "transparent":
        return _TRANSPARENT
    match = _RGB.fullmatch(value)
    numbers = [float(number) for number in _NUMBER.findall(match[1])] if match else []
    if len(numbers) not in (3, 4):
        return None
    red, green, blue = numbers[:3]
    return (red, green, blue, numbers[3] if len(numbers) > 3 else 1.0)  # noqa: PLR2004 - the opacity


def is_shown(box: TextBox, style: Style, surroundings: Surroundings) -> bool:
    """Return whether a reader sees a text box, regardless of its position and colour."""
    if style.visibility != "visible" or surroundings.is_hidden or surroundings.opacity < MIN_OPACITY:
        return False
    if style.text_security != "none" or not _is_legible(box):
        return False
    return not any(_cuts_off(clip, box.rect) for clip in surroundings.clips)


def _is_legible(box: TextBox) -> bool:
    short, long = sorted((box.rect.width, box.rect.height))
    if long < _MIN_SIZE:
        return False
    letters = len(box.text.strip())
    if letters <= 1:
        return short > 0
    return short >= _MIN_SIZE and long / letters >= min(short * _MIN_ADVANCE, _MIN_SIZE)


def _cuts_off(clip: Clip, box: Rect) -> bool:
    """Return whether a box is outside an element and cannot be scrolled into view."""
    if clip.x_hides and _is_beyond(
        box.x, box.right, clip.rect.x, clip.rect.right, scrolls=clip.x_scrolls, unfolds=False
    ):
        return True
    return clip.y_hides and _is_beyond(
        box.y, box.bottom, clip.rect.y, clip.rect.bottom, scrolls=clip.y_scrolls, unfolds=True
    )


def _is_beyond(start: float, end: float, first: float, last: float, *, scrolls: bool, unfolds: bool) -> bool:
    if last - first < _MIN_SIZE:
        return True
    if scrolls:
        return False
    middle = (start + end) / 2
    return middle < first or (middle > last and not (unfolds and last - first >= _FOLDED))


def is_legible_in_colour(style: Style, surroundings: Surroundings) -> bool:
    """Return whether letters differ in colour from their background; True if that is unknown."""
    if surroundings.is_filled_by_ground or style.text_shadow != "none":
        return True
    if style.stroke_width not in ("0px", ""):
        return True
    colour = colour_of(style.fill_color)
    if colour is None:
        return True
    if colour[3] < MIN_OPACITY:
        return False
    ground = surroundings.ground
    if ground is None:
        return True
    return max(abs(upper - lower) for upper, lower in zip(colour[:3], ground[:3], strict=True)) > _SAME_COLOUR
