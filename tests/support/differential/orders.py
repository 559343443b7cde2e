"""Texts whose pieces have another order in the markup than on the screen."""

import random
from collections.abc import Callable, Sequence

from support.differential.forms import chunks
from support.differential.fragments import Choices, Fragment, Technique

_ORDER = frozenset({"order"})


def _shuffled(pieces: Sequence[str]) -> list[tuple[int, str]]:
    """Return (place on the screen, piece) in the order of the markup: one that never changes."""
    numbered = list(enumerate(pieces))
    random.Random(len(pieces)).shuffle(numbered)
    return numbered


def _placed(
    piece: Callable[[int, int, str], str], size: int, around: tuple[str, str], *, is_reversed: bool = False
):
    """Return a form of pieces: each made from its place, their number and its text."""

    def form(paragraphs: Sequence[str], _: Choices) -> Fragment:
        pieces = chunks(paragraphs, size)
        numbered = list(enumerate(pieces))[::-1] if is_reversed else _shuffled(pieces)
        html = "".join(piece(place, len(pieces), text) for place, text in numbered)
        height = len(pieces) * 24 + 30
        return Fragment(html=f"{around[0]}{html}{around[1]}".replace("¤", str(height)))

    return form


def _wrapped(style: str) -> tuple[str, str]:
    return f'<div style="{style}">', "</div>"


_BOX = "position:relative;height:¤px"


def _flex(place: int, _: int, text: str) -> str:
    return f'<span style="order:{place}">{text}</span>'


def _custom(place: int, _: int, text: str) -> str:
    return f'<span style="--o:{place};order:var(--o)">{text}</span>'


def _grid(place: int, _: int, text: str) -> str:
    return f'<div style="grid-row:{place + 1}">{text}</div>'


def _area(place: int, _: int, text: str) -> str:
    return f'<p style="grid-area:{place + 1}/1">{text}</p>'


def _absolute(place: int, _: int, text: str) -> str:
    return f'<div style="position:absolute;top:{place * 24}px;left:0">{text}</div>'


def _bottom(place: int, count: int, text: str) -> str:
    return f'<div style="position:absolute;bottom:{(count - place) * 24}px">{text}</div>'


def _absolute_char(place: int, _: int, text: str) -> str:
    x, y = place % 40 * 20, place // 40 * 24
    return f'<i style="position:absolute;font-style:normal;left:{x}px;top:{y}px">{text}</i>'


def _translated(place: int, _: int, text: str) -> str:
    return f'<div style="position:absolute;transform:translateY({place * 24}px)">{text}</div>'


def _plain(_: int, __: int, text: str) -> str:
    return f"<span>{text}</span>"


def _block(_: int, __: int, text: str) -> str:
    return f"<div>{text}</div>"


def _floated(_: int, __: int, text: str) -> str:
    return f'<span style="float:right">{text}</span>'


_PIECES = {
    "flex-8": _placed(_flex, 8, _wrapped("display:flex;flex-wrap:wrap")),
    "flex-1": _placed(_flex, 1, _wrapped("display:flex;flex-wrap:wrap")),
    "flex-40": _placed(_flex, 40, _wrapped("display:flex;flex-direction:column")),
    "flex-custom": _placed(_custom, 9, _wrapped("display:flex;flex-wrap:wrap")),
    "grid-20": _placed(_grid, 20, _wrapped("display:grid;grid-auto-rows:24px")),
    "grid-area": _placed(_area, 30, _wrapped("display:grid;grid-template-columns:100%")),
    "absolute-30": _placed(_absolute, 30, _wrapped(_BOX)),
    "absolute-12": _placed(_absolute, 12, _wrapped(_BOX)),
    "absolute-bottom": _placed(_bottom, 25, _wrapped(_BOX)),
    "absolute-1": _placed(_absolute_char, 1, _wrapped("position:relative;height:600px")),
    "translate": _placed(_translated, 25, _wrapped(_BOX)),
    "column-reverse": _placed(
        _block, 12, _wrapped("display:flex;flex-direction:column-reverse"), is_reversed=True
    ),
    "row-reverse": _placed(
        _plain, 1, _wrapped("display:flex;flex-flow:row-reverse wrap-reverse;width:800px"), is_reversed=True
    ),
    "wrap-reverse": _placed(_block, 40, _wrapped("display:flex;flex-flow:wrap-reverse"), is_reversed=True),
}


def _lines(make: Callable[[str], str], size: int = 30):
    def form(paragraphs: Sequence[str], _: Choices) -> Fragment:
        return Fragment(html="".join(make(line) for line in chunks(paragraphs, size)))

    return form


def _columns(paragraphs: Sequence[str], _: Choices) -> Fragment:
    """Return a table whose columns are lines of the text, read from the right."""
    columns = chunks(paragraphs, 25)[::-1]
    rows = "".join(
        "<tr>" + "".join(f"<td>{column[row : row + 1]}</td>" for column in columns) + "</tr>"
        for row in range(25)
    )
    return Fragment(html=f'<table cellspacing="0"><tbody>{rows}</tbody></table>')


def _table_groups(paragraphs: Sequence[str], _: Choices) -> Fragment:
    head, *rest = chunks(paragraphs, 60)
    rows = "".join(f"<div style='display:table-row'>{line}</div>" for line in rest)
    return Fragment(
        html=f"<div style='display:table'>{rows}<div style='display:table-header-group'>{head}</div></div>"
    )


_LINES = {
    "bdo": _lines(lambda line: f'<p><bdo dir="rtl">{line[::-1]}</bdo></p>'),
    "bidi-css": _lines(lambda line: f'<p style="direction:rtl;unicode-bidi:bidi-override">{line[::-1]}</p>'),
    "bidi-mark": _lines(lambda line: f"<p>\u202e{line[::-1]}\u202c</p>"),
    "bidi-isolate": _lines(
        lambda line: f'<p style="unicode-bidi:isolate-override;direction:rtl">{line[::-1]}</p>'
    ),
    "bidi-reference": _lines(lambda line: f"<p>&#x202e;{line[::-1]}&#x202c;</p>"),
    "float-right": _lines(
        lambda line: (
            '<p style="width:640px;height:24px">'
            + "".join(f'<span style="float:right">{char}</span>' for char in line[::-1])
            + "</p>"
        )
    ),
    "rtl-inline-blocks": _lines(
        lambda line: (
            '<p style="direction:rtl">'
            + "".join(f'<span style="display:inline-block">{char}</span>' for char in line[::-1])
            + "</p>"
        )
    ),
    "rtl-flex": _lines(
        lambda line: (
            '<p dir="rtl" style="display:flex">' + "".join(f"<b>{char}</b>" for char in line[::-1]) + "</p>"
        )
    ),
    "mirrored-twice": _lines(
        lambda line: (
            '<p style="transform:scaleX(-1)"><span style="display:inline-block;transform:scaleX(-1)">'
            f"{line}</span></p>"
        )
    ),
    "table-columns": _columns,
    "table-groups": _table_groups,
}

ORDERS = tuple(
    Technique(name=f"order-{name}", apply=form, unread=_ORDER) for name, form in (_PIECES | _LINES).items()
)
