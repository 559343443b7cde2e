"""Lines without the text of elements that show nothing: canvases, closed dialogs. Pure, linear.

The walk reads such an element as separate lines, which splits the line around it. If a line contains several
of these elements, it is added again as the reader sees it.
"""

from collections.abc import Iterator

from crawler.extraction.marked import MarkedElements
from crawler.extraction.parsing import BLOCKS, Element, Tree
from crawler.extraction.rest.chinese import chinese_of
from crawler.extraction.rest.text_lines import Node, TextLine, node_inside

_MIN_ELEMENTS = 3  # minimum number of elements that show nothing, in one block
_MIN_IN_LINE = 2  # minimum number of these elements between texts of one line
_MIN_CHARS = 8  # minimum Chinese characters of a line
_MEDIA = frozenset({"audio", "video", "canvas", "datalist"})
_CLOSED = frozenset({"details", "dialog"})
_LINE_ENDS = (BLOCKS | {"br", "hr", "table", "ul", "ol"}) - _MEDIA - _CLOSED
_SILENT, _LINE_END = "\0", "\n"


def lines_without_silent(tree: Tree, marked: MarkedElements, parent: Node | None) -> Iterator[TextLine]:
    """Yield the lines that contain elements which show nothing, without these elements.

    Args:
        tree: the page.
        marked: its marked elements.
        parent: the position of its document.
    """
    apart = {*marked.all_of(*_MEDIA, *_CLOSED), *marked.popovers}
    if len(apart) < _MIN_ELEMENTS:
        return
    silent = [element for element in tree.iter() if element in apart]
    blocks: dict[Element, int] = {}
    for element in silent:
        _count(blocks, element)
    for block, count in blocks.items():
        if count < _MIN_ELEMENTS:
            continue
        node = node_inside(parent, str(block.tag), element=block)
        for line in "".join(_pieces(block)).split(_LINE_END):
            text = line.strip(f"{_SILENT} ")
            if text.count(_SILENT) >= _MIN_IN_LINE and len(chinese_of(text)) >= _MIN_CHARS:
                yield TextLine(text.replace(_SILENT, ""), "text", node)


def _count(blocks: dict[Element, int], element: Element) -> None:
    if not _shows_nothing(element):
        return
    block = element.getparent()
    while block is not None and block.tag not in _LINE_ENDS and block.tag != "body":
        block = block.getparent()
    if block is not None:
        blocks[block] = blocks.get(block, 0) + 1


def _shows_nothing(element: Element) -> bool:
    if element.tag in _CLOSED:
        return element.get("open") is None
    return element.tag in _MEDIA or element.get("popover") is not None


def _pieces(block: Element) -> Iterator[str]:
    """Yield the text of a block outside its inner blocks; runs of spaces become one space."""
    yield _plain(block.text)
    stack = [iter(block)]
    around = [block]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
            ended = around.pop()
            if stack:
                yield _plain(ended.tail)
        elif isinstance(element.tag, str) and _shows_nothing(element):
            yield _SILENT + _plain(element.tail)
        elif not isinstance(element.tag, str) or element.tag in _LINE_ENDS:
            yield _LINE_END + _plain(element.tail)
        else:
            yield _plain(element.text)
            stack.append(iter(element))
            around.append(element)


def _plain(text: str | None) -> str:
    return "" if not text else " ".join(text.replace(_SILENT, "").split()) if text.strip() else " "
