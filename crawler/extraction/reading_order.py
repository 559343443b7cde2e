"""Elements in the order in which a style sheet shows them. Pure.

The children of flexible boxes and grids have an ``order``. Characters with absolute positions are read line
by line, from the left.
"""

from collections.abc import Mapping, Sequence

from crawler.extraction.css_values import pixels
from crawler.extraction.parsing import Element, visible_chars
from crawler.extraction.styles import Style

_BOXES = frozenset({"flex", "inline-flex", "grid", "inline-grid", "-webkit-flex", "-webkit-box"})
_MIN_PLACED = 8  # minimum number of positioned children with few characters each
_MAX_PLACED_CHARS = 12
_MIN_PLACED_SHARE = 0.8  # minimum share of their characters in their container
_LINE_PIXELS = 6.0  # maximum difference of positions in one line


def put_in_order(styles: Mapping[Element, Style]) -> bool:
    """Sort the children of elements into the order in which they are shown; return whether any may move.

    Args:
        styles: styles of the elements with an order or a position, and of their containers.
    """
    ordered: dict[Element, None] = {}
    placed: dict[Element, list[Element]] = {}
    for element, style in styles.items():
        parent = element.getparent()
        if parent is not None and ("order" in style or style.get("position") == "absolute"):
            if "order" in style:
                ordered[parent] = None
            if _position_of(style) is not None:
                placed.setdefault(parent, []).append(element)
        if style.get("flex-direction", "").endswith("-reverse"):
            ordered[element] = None
    boxes = [parent for parent in ordered if styles.get(parent, {}).get("display") in _BOXES]
    for parent in boxes:
        _order(parent, styles)
    for parent, children in placed.items():
        _sort_by_position(parent, children, styles)
    return bool(boxes or placed)


def _order(parent: Element, styles: Mapping[Element, Style]) -> None:
    items = _items(parent)
    orders = [_number(styles.get(item, {}).get("order")) for item in items]
    is_reverse = styles[parent].get("flex-direction", "").endswith("-reverse")
    numbers = sorted(range(len(items)), key=orders.__getitem__)
    if is_reverse:
        numbers.reverse()
    if numbers != list(range(len(items))):
        _replace_children(parent, [items[number] for number in numbers])


def _items(parent: Element) -> list[Element]:
    texts = [(None, parent.text), *((child, child.tail) for child in parent)]
    for child, text in reversed(texts):
        if text and not text.isspace():
            item = parent.makeelement("span")
            item.text = text
            if child is None:
                parent.text = None
                parent.insert(0, item)
            else:
                child.tail = None
                child.addnext(item)
    return list(parent)


def _number(value: str | None) -> int:
    try:
        return int(value or 0)
    except ValueError:
        return 0


def _position_of(style: Style) -> tuple[float, float] | None:
    top, x = pixels(style.get("top"), percent=7.2), pixels(style.get("left"), percent=12.8)
    is_placed = style.get("position") == "absolute" and x is not None
    return (top or 0.0, x) if is_placed and x is not None else None


def _sort_by_position(parent: Element, children: Sequence[Element], styles: Mapping[Element, Style]) -> None:
    chars = [visible_chars("".join(child.itertext())) for child in children]
    is_text = len(children) >= _MIN_PLACED and max(chars) <= _MAX_PLACED_CHARS
    if not is_text or sum(chars) < _MIN_PLACED_SHARE * visible_chars("".join(parent.itertext())):
        return
    places = {child: _position_of(styles[child]) or (0.0, 0.0) for child in children}
    by_top = sorted(children, key=lambda child: places[child])
    lines: list[list[Element]] = []
    for child in by_top:
        if lines and places[child][0] - places[lines[-1][0]][0] <= _LINE_PIXELS:
            lines[-1].append(child)
        else:
            lines.append([child])
    rest = [child for child in parent if child not in places]
    read = [child for line in lines for child in sorted(line, key=lambda child: places[child][1])]
    _replace_children(parent, [*rest, *read])


def _replace_children(parent: Element, children: Sequence[Element]) -> None:
    for child in list(parent):
        parent.remove(child)
    for child in children:
        child.tail = None if child.tail and child.tail.isspace() else child.tail
        parent.append(child)
