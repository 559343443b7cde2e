"""Text that styles reorder is read in their order, or counted as unread."""

import pytest

from tests.support.rest_pages import SENTENCES, missing, page, read, unordered

TEXT = "".join(SENTENCES)
ORDER = unordered(TEXT)


def test_flex_order_of_inline_styles_is_followed() -> None:
    body = "".join(f'<b style="order:{n}">{TEXT[n]}</b>' for n in ORDER)
    result = read(page(f'<p style="display:flex;flex-wrap:wrap">{body}</p>'))
    assert missing(result) == []
    assert "order" not in result.unread


def test_flex_order_of_classes_is_followed() -> None:
    sheet = "".join(f".o{n}{{order:{n}}}" for n in range(len(TEXT)))
    body = "".join(f'<b class="o{n}">{TEXT[n]}</b>' for n in ORDER)
    result = read(page(f"<style>.f{{display:flex}}{sheet}</style><p class=f>{body}</p>"))
    assert missing(result) == []


def test_flex_order_by_nth_child_is_followed() -> None:
    sheet = "".join(f".f b:nth-child({position}){{order:{n}}}" for position, n in enumerate(ORDER, 1))
    body = "".join(f"<b>{TEXT[n]}</b>" for n in ORDER)
    assert missing(read(page(f"<style>.f{{display:flex}}{sheet}</style><p class=f>{body}</p>"))) == []


@pytest.mark.parametrize("unit", ["px", "em"])
def test_absolute_positions_are_followed(unit: str) -> None:
    body = "".join(
        f'<i style="position:absolute;left:{n % 20 * 20}{unit};top:{n // 20 * 30}{unit}">{TEXT[n]}</i>'
        for n in ORDER
    )
    assert missing(read(page(f"<div>{body}</div>"))) == []


def test_single_character_blocks_are_ordered() -> None:
    body = "".join(
        f'<div style="position:absolute;left:{n % 20 * 20}px;top:{n // 20 * 30}px">{TEXT[n]}</div>'
        for n in ORDER
    )
    assert missing(read(page(body))) == []


def test_cells_of_a_grid_are_ordered() -> None:
    body = "".join(f'<i style="grid-area:{n // 20 + 1}/{n % 20 + 1}">{TEXT[n]}</i>' for n in ORDER)
    assert missing(read(page(f'<div style="display:grid">{body}</div>'))) == []


def test_right_floats_are_ordered() -> None:
    body = "".join(f'<i style="float:right">{character}</i>' for character in reversed(TEXT))
    assert missing(read(page(f"<div>{body}</div>"))) == []


def test_order_that_no_style_explains_is_counted() -> None:
    body = "".join(f'<b class="o{n}">{TEXT[n]}</b>' for n in ORDER)
    result = read(page(f"<p>{body}</p>"))
    assert result.unread["order"] == pytest.approx(len(TEXT), abs=30)


def test_characters_of_another_font_are_counted() -> None:
    body = "".join(TEXT[n] for n in ORDER)
    result = read(page(f"<style>@font-face{{font-family:x}}</style><p>{body}</p>"))
    assert result.unread["font"] > 100


def test_natural_text_is_not_counted() -> None:
    assert "order" not in read(page(f"<p>{TEXT}</p>")).unread


def test_reordered_menu_is_not_counted() -> None:
    words = [
        "首页",
        "玄幻",
        "武侠",
        "都市",
        "历史",
        "科幻",
        "游戏",
        "女生",
        "完本",
        "排行",
        "书架",
        "充值",
    ] * 4
    body = "".join(f'<a style="order:{n * 5 % 7}" href="/{n}">{word}</a>' for n, word in enumerate(words))
    assert read(page(f"<nav>{body}</nav>")).unread == {}


BLOCKS = [TEXT[start : start + 15] for start in range(0, len(TEXT), 15)]
SHUFFLED = sorted(range(len(BLOCKS)), key=lambda place: place * 7 % len(BLOCKS))


@pytest.mark.parametrize(
    ("around", "style"),
    [
        ("position:relative", "position:absolute;top:{0}px"),
        ("position:relative", "position:absolute;bottom:{1}px"),
        ("position:relative", "position:absolute;transform:translate3d(0,{0}px,0)"),
        ("display:flex;flex-wrap:wrap", "--n:{0};order:var(--n)"),
        ("display:grid", "grid-row:{0}"),
    ],
)
def test_natural_blocks_with_positions_are_ordered(around: str, style: str) -> None:
    body = "".join(f'<div style="{style.format(20 * n, -20 * n)}">{BLOCKS[n]}</div>' for n in SHUFFLED)
    result = read(page(f'<div style="{around}">{body}</div>'))
    assert missing(result) == []
    assert "order" not in result.unread


def test_blocks_with_positions_by_class_are_ordered() -> None:
    sheet = "".join(f".k{n}{{position:absolute;top:{20 * n}px}}" for n in range(len(BLOCKS)))
    body = "".join(f"<div class=k{n}>{BLOCKS[n]}</div>" for n in SHUFFLED)
    assert missing(read(page(f"<style>{sheet}</style><div>{body}</div>"))) == []


def test_positions_that_only_a_browser_can_compute_are_counted() -> None:
    body = "".join(
        f'<div style="position:absolute;top:calc(3em + {20 * n}px)">{BLOCKS[n]}</div>' for n in SHUFFLED
    )
    assert read(page(f"<div>{body}</div>")).unread["order"] > 100


def test_characters_of_an_rtl_box_are_reordered() -> None:
    body = "".join(f"<b>{character}</b>" for character in reversed(TEXT[:40]))
    result = read(page(f'<p dir=rtl style="display:flex">{body}</p>'))
    assert TEXT[:40] in result.rest


def test_links_that_are_moved_a_little_stay_in_their_sentence() -> None:
    sheet = "<style>a{position:relative;top:1px}</style>"
    words = "".join(f"<a href=/{n}>{TEXT[n : n + 2]}</a>{TEXT[n + 2 : n + 9]}" for n in range(0, 90, 9))
    result = read(page(f"{sheet}<p>{words}</p>"))
    assert "order" not in result.unread
    assert "style" not in {piece.reason for piece in result.rest_pieces}
