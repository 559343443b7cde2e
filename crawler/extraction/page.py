"""A page's bytes to its text, its fields, and a verdict on whether it can be compared. Pure: no network.

The steps, each in its own module so that each can be replaced: decode → parse → what is hidden → lines and
blocks → fields → the article's block → other opinions → clean → next links → kind. The same bytes give the
same result, and no page makes it raise.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from crawler.extraction.block import main_block
from crawler.extraction.cleaning import asks_to_turn, clean
from crawler.extraction.embedded import embedded_lines
from crawler.extraction.hidden import hidden_elements
from crawler.extraction.metadata import metadata
from crawler.extraction.outline import Outline, outline
from crawler.extraction.pagekind import Evidence, page_kind
from crawler.extraction.voting import Choice, choose
from crawler.nextpage import next_links
from crawler.parsing import Element, Tree, decode_page, parse, visible_chars
from storage.decoding import looks_binary
from storage.records import PageKind

_LEAST_SHOWN: Final = 100  # characters of sentences; a page that shows fewer hides its article until a script runs


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction sees.

    Attributes:
        published: ISO 8601 with zone, or None.
        text: paragraphs separated by one newline.
        confidence: how far the two extractors agree, in [0, 1].
        next_page: where this text goes on.
        next_chapter: where the next chapter begins.
        dropped: reason → number of characters that were left out.
    """

    kind: PageKind
    encoding: str
    title: str = ""
    author: str | None = None
    published: str | None = None
    site_name: str | None = None
    text: str = ""
    confidence: float = 0.0
    next_page: str | None = None
    next_chapter: str | None = None
    dropped: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields in order, as ``pindna extract --json`` prints them."""
        return asdict(self)


def extract(data: bytes, *, url: str = "", declared: str | None = None) -> Extracted:
    """Return the text and fields of a page.

    Args:
        data: the page's bytes as received.
        url: its address; needed to tell a next page from a next chapter, and for absolute links.
        declared: charset of the Content-Type header, if any; the page's own meta is read here.

    Returns:
        The result; pages without a usable text have another kind than ``article`` and ``chapter``.
    """
    if looks_binary(data):
        return Extracted(kind="empty", encoding="binary", dropped={"binary": len(data)})
    decoded = decode_page(data, declared=declared)
    tree = parse(decoded.text)
    if tree is None:
        return Extracted(kind="empty", encoding=decoded.encoding)
    return _extract(tree, encoding=decoded.encoding, url=url)


def _extract(tree: Tree, *, encoding: str, url: str) -> Extracted:
    page, hidden = _shown(tree)
    lines = [line.text for line in page.lines]
    fields = metadata(tree, lines=lines, url=url)
    links = next_links(tree, url=url)
    block = main_block(page, title=fields.title, descriptions=fields.descriptions)
    choice = choose(tree, page, block, title=fields.title)
    if block.prose_chars < _LEAST_SHOWN and (article := embedded_lines(tree)):
        choice = Choice(tuple(article), 0.5)
    cleaned = clean(choice.lines)
    visible, text = "\n".join(lines), "\n".join(cleaned.lines)
    evidence = Evidence(
        title=fields.title,
        page=page,
        block=block,
        text=text,
        raw="\n".join(choice.lines) or visible,
        turns_page=asks_to_turn(visible),
        has_next_page=links.page is not None,
    )
    return Extracted(
        kind=page_kind(tree, evidence),
        encoding=encoding,
        title=fields.title,
        author=fields.author,
        published=fields.published.isoformat() if fields.published else None,
        site_name=fields.site_name,
        text=text,
        confidence=round(choice.confidence, 3),
        next_page=links.page,
        next_chapter=links.chapter,
        dropped=_dropped(visible_chars(visible) - visible_chars(text), {**cleaned.dropped, "hidden": hidden}),
    )


def _shown(tree: Tree) -> tuple[Outline, int]:
    """Take what is hidden out of the tree; returns what is left and how many characters went.

    A page that would show next to nothing shows its article by a script: there nothing is taken out.
    """
    hidden = hidden_elements(tree)
    body = tree.find("body")
    if body is None:
        body = tree
    page = outline(body, hidden=hidden)
    if not hidden:
        return page, 0
    if _prose(page) < _LEAST_SHOWN:
        everything = outline(body)
        if _prose(everything) >= _LEAST_SHOWN:
            return everything, 0
    return page, _drop(tree, hidden)


def _prose(page: Outline) -> int:
    return sum(line.chars for line in page.lines if line.is_prose)


def _drop(tree: Tree, hidden: Sequence[Element] | set[Element]) -> int:
    chars = 0
    for element in hidden:
        if element.getparent() is not None:
            chars += sum(visible_chars("".join(each.itertext())) for each in (element,))
            element.drop_tree()
    return chars


def _dropped(outside: int, reasons: dict[str, int]) -> dict[str, int]:
    rest = outside - sum(count for reason, count in reasons.items() if reason != "hidden")
    return {**{reason: count for reason, count in reasons.items() if count}, **({"outside": rest} if rest > 0 else {})}
