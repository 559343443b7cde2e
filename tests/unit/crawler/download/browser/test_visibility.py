"""What a reader sees of a text box."""

from dataclasses import replace

import pytest

from crawler.download.browser.snapshot import Rect, Style, TextBox
from crawler.download.browser.visibility import (
    Surroundings,
    colour_of,
    enter,
    is_legible_in_colour,
    is_shown,
)

BLOCK = Rect(0, 0, 600, 300)
BOX = TextBox("渡口的风", Rect(10, 10, 64, 19))
WHITE, NO_COLOUR = "rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"


def shown(*styles, box=BOX, rect=BLOCK):
    """Whether a box in elements of these styles, the outermost first, is shown and has a colour."""
    around = Surroundings()
    for style in styles:
        around = enter(around, style, rect)
    return is_shown(box, styles[-1], around) and is_legible_in_colour(styles[-1], around)


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (Style(), True),
        (Style(visibility="hidden"), False),
        (Style(visibility="collapse"), False),
        (Style(opacity="0"), False),
        (Style(opacity="0.04"), False),
        (Style(opacity="0.05"), True),
        (Style(filter="opacity(0)"), False),
        (Style(filter="opacity(2%)"), False),
        (Style(filter="blur(1px)"), True),
        (Style(clip_path="inset(50%)"), False),
        (Style(clip_path="inset(0px 0px 0px 598px round 4px)"), False),
        (Style(clip_path="inset(10%)"), True),
        (Style(clip_path="circle(0px at 50% 50%)"), False),
        (Style(clip_path="circle(40%)"), True),
        (Style(clip_path="ellipse(30px 0px at 0px 0px)"), False),
        (Style(clip_path="polygon(0px 0px, 0px 0px, 0px 100%)"), False),
        (Style(clip_path="polygon(0px 0px, 100% 0px, 50% 100%)"), True),
        (Style(clip_path='url("#a")'), True),
        (Style(clip="rect(0px, 0px, 0px, 0px)", position="absolute"), False),
        (Style(clip="rect(0px, 0px, 0px, 0px)"), True),
        (Style(clip="rect(0px, 90px, 90px, 0px)", position="absolute"), True),
        (Style(content_visibility="hidden"), False),
        (Style(text_security="disc"), False),
        (Style(fill_color=NO_COLOUR), False),
        (Style(fill_color=NO_COLOUR, text_shadow="rgb(0, 0, 0) 0px 0px 1px"), True),
        (Style(fill_color=NO_COLOUR, stroke_width="1px"), True),
        (Style(fill_color=NO_COLOUR, background_clip="text", background_image="linear-gradient(red)"), True),
        (Style(fill_color=NO_COLOUR, background_clip="text"), False),
        (Style(fill_color=WHITE), False),
        (Style(fill_color="rgb(250, 250, 250)"), False),
        (Style(fill_color="rgb(200, 200, 200)"), True),
        (Style(fill_color=WHITE, background_color="rgb(0, 0, 0)"), True),
        (Style(fill_color=WHITE, background_color="rgba(0, 0, 0, 0.5)"), True),
        (Style(fill_color=WHITE, background_color="rgba(0, 0, 0, 0.01)"), False),
        (Style(fill_color=WHITE, background_image='url("a.png")'), True),
        (Style(fill_color="color(srgb 1 1 1)"), True),
        (Style(background_color="rgb(0, 0, 0)"), False),
    ],
)
def test_style_shows_or_hides_a_text(style, expected):
    assert shown(style) is expected


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (Style(opacity="0.2"), Style(opacity="0.2"), False),
        (Style(visibility="hidden"), Style(), True),
        (Style(opacity="0"), Style(opacity="1"), False),
        (Style(background_color="rgb(0, 0, 0)"), Style(fill_color=WHITE), True),
        (
            Style(background_clip="text", background_image="linear-gradient(red)"),
            Style(fill_color=NO_COLOUR),
            True,
        ),
    ],
)
def test_ancestors_can_hide_a_text(outer, inner, expected):
    assert shown(outer, inner) is expected


@pytest.mark.parametrize(
    ("rect", "overflow", "box", "expected"),
    [
        (Rect(0, 0, 600, 0), "hidden", BOX, False),
        (Rect(0, 0, 600, 1), "auto", BOX, False),
        (Rect(0, 0, 3, 600), "hidden", BOX, False),
        (Rect(0, 0, 600, 300), "hidden", BOX, True),
        (Rect(0, 0, 600, 300), "hidden", replace(BOX, rect=Rect(10, 900, 64, 19)), True),  # it unfolds
        (Rect(0, 0, 600, 30), "hidden", replace(BOX, rect=Rect(10, 900, 64, 19)), False),
        (Rect(0, 0, 600, 300), "hidden", replace(BOX, rect=Rect(10, -90, 64, 19)), False),
        (Rect(0, 0, 600, 300), "hidden", replace(BOX, rect=Rect(900, 10, 64, 19)), False),
        (Rect(0, 0, 600, 300), "scroll", replace(BOX, rect=Rect(900, 10, 64, 19)), True),
        (Rect(0, 0, 600, 0), "visible", BOX, True),
    ],
)
def test_clipping_edge_hides_content_beyond_it(rect, overflow, box, expected):
    assert shown(Style(overflow_x=overflow, overflow_y=overflow), box=box, rect=rect) is expected


@pytest.mark.parametrize(
    ("position", "middle", "expected"),
    [("static", Style(), False), ("absolute", Style(), True), ("fixed", Style(position="relative"), True)],
)
def test_positioned_content_is_not_clipped(position, middle, expected):
    edge = Style(overflow_x="hidden", overflow_y="hidden")
    assert shown(edge, middle, Style(position=position), rect=Rect(0, 0, 0, 0)) is expected


def test_positioned_edge_clips_its_positioned_content():
    edge = Style(overflow_x="hidden", overflow_y="hidden", position="relative")
    assert not shown(edge, Style(position="absolute"), rect=Rect(0, 0, 0, 0))


@pytest.mark.parametrize(
    ("text", "rect", "expected"),
    [
        ("渡口的风", Rect(0, 0, 64, 3), False),
        ("渡口的风" * 3, Rect(0, 0, 17, 19), False),  # all letters on top of each other
        ("渡口的风", Rect(0, 0, 19, 64), True),  # from above downwards
        ("渡", Rect(0, 0, 16, 19), True),
        ("渡", Rect(0, 0, 0, 19), False),
        ("渡", Rect(0, 0, 3, 3), False),
    ],
)
def test_visible_text_needs_room(text, rect, expected):
    assert shown(Style(), box=TextBox(text, rect)) is expected


def test_colours_are_read_as_the_browser_writes_them():
    assert colour_of("rgb(1, 2, 3)") == (1, 2, 3, 1)
    assert colour_of("rgba(1, 2, 3, 0.25)") == (1, 2, 3, 0.25)
    assert colour_of("transparent")[3] == 0
    assert colour_of("lab(29.2345% 39.3825 20.0664)") is None
