"""The lines that a reader sees: each element's text without hidden elements inside it. Pure, linear.

Hidden elements are only a guess, so their text is also read, separately. No line contains hidden pieces, and
no text is missing if the guess is wrong.
"""

from collections.abc import Collection, Iterable, Iterator

from crawler.extraction.parsing import BLOCKS, Element

# Elements that show nothing in the line around them; their content may be shown separately.
_APART = frozenset(
    {"template", "noscript", "rt", "rp", "svg", "title", "audio", "video", "canvas", "datalist", "dialog"}
)
_NO_TEXT = frozenset({"script", "style", "iframe"})


def separate_lines(tops: Iterable[Element], hidden: Collection[Element]) -> list[str]:
    """Return the lines below some elements, each without the hidden elements inside it.

    Args:
        tops: elements that are not inside each other, unless hidden.
        hidden: all hidden elements.
    """
    lines: list[str] = []
    roots = dict.fromkeys(tops)
    while roots:
        apart: dict[Element, None] = {}
        for root in roots:
            lines += _lines_below(root, hidden, apart)
        roots = apart
    return lines


def _lines_below(root: Element, hidden: Collection[Element], apart: dict[Element, None]) -> list[str]:
    """Return the lines of an element, and add to ``apart`` the inner elements to read separately."""
    if not len(root):
        line = " ".join((root.text or "").split())
        return [line] if line else []
    lines = "".join(_pieces(root, hidden, apart)).split("\n")
    return [line for raw in lines if (line := " ".join(raw.split()))]


def _pieces(root: Element, hidden: Collection[Element], apart: dict[Element, None]) -> Iterator[str]:
    """Yield the texts below an element, without recursion, because broken pages nest thousands deep."""
    yield _inline(root.text)
    siblings, around = iter(root), list[tuple[Iterator[Element], Element]]()
    while True:
        for node in siblings:
            tag = node.tag
            if not isinstance(tag, str) or node in hidden or tag in _NO_TEXT:
                yield _inline(node.tail)
                continue
            if _is_apart(node, tag):
                apart[node] = None
                yield _inline(node.tail)
                continue
            yield f"\n{_inline(node.text)}" if tag in BLOCKS else _inline(node.text)
            around.append((siblings, node))
            siblings = iter(node)
            break
        else:
            if not around:
                return
            siblings, ended = around.pop()
            yield f"\n{_inline(ended.tail)}" if ended.tag in BLOCKS else _inline(ended.tail)


def _is_apart(element: Element, tag: str) -> bool:
    if tag == "details":
        return element.get("open") is None
    return tag in _APART or element.get("popover") is not None


def _inline(text: str | None) -> str:
    return text.replace("\n", " ").replace("\r", " ") if text else ""
