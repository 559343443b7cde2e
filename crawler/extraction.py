"""A page's bytes to its text, its fields, and a verdict on whether it can be compared. Pure: no network.

The steps, each in its own module so that each can be replaced: decode → parse → trafilatura and the densest
block → choose → clean → next links → fields → kind. The same bytes give the same result, and no page makes
it raise.
"""

import logging
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from crawler.block import Block, main_block
from crawler.cleaning import Cleaned, asks_to_turn, clean
from crawler.mainbody import main_lines
from crawler.metadata import metadata
from crawler.nextpage import next_links
from crawler.pagekind import Evidence, page_kind
from crawler.parsing import Tree, decode_page, lines_of, parse, visible_chars
from storage.decoding import looks_binary
from storage.records import PageKind

_AGREED: Final = 0.9  # 2·|A∩B| / (|A|+|B|) over 5-grams: the same text but for a line or two
_HELD: Final = 0.8  # share of the shorter text that the longer must hold
_CAPTION: Final = 250  # characters; a shorter text beside one
_FAR_LONGER: Final = 4  # times as long is a side column, not the article
_SHINGLE: Final = 5


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
    page = lines_of(tree)
    block = main_block(tree)
    chosen, confidence = choose(main_lines(tree), block)
    cleaned = clean(chosen)
    links, fields = next_links(tree, url=url), metadata(tree, lines=page, url=url)
    visible, text = "\n".join(page), "\n".join(cleaned.lines)
    evidence = Evidence(
        title=fields.title,
        visible=visible,
        block=block,
        text=text,
        raw="\n".join(block.lines) or visible,
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
        confidence=round(confidence, 3),
        next_page=links.page,
        next_chapter=links.chapter,
        dropped=_dropped(visible, text, cleaned),
    )


def choose(lines: list[str], block: Block) -> tuple[list[str], float]:
    """Return the better of trafilatura's lines and the block's, and their agreement.

    Where they disagree the shorter is usually the article and the longer the article with teasers, comments
    and footers, so the shorter is taken if the longer holds it, unless it is but a caption beside the text.
    """
    ours, theirs = _shingles("".join(block.lines)), _shingles("".join(lines))
    shared, total = (ours & theirs).total(), ours.total() + theirs.total()
    agreement = 2 * shared / total if total else 0.0
    if agreement >= _AGREED:
        return lines, agreement
    few, many = sorted((ours.total(), theirs.total()))
    shorter, longer = (list(block.lines), lines) if ours.total() == few else (lines, list(block.lines))
    if few < _CAPTION and many > _FAR_LONGER * few:
        return longer, agreement
    return (shorter if shared > _HELD * few else lines), agreement


def _shingles(text: str) -> Counter[str]:
    """Return the multiset of character 5-grams without white space."""
    squeezed = "".join(text.split())
    return Counter(squeezed[at : at + _SHINGLE] for at in range(len(squeezed) - _SHINGLE + 1))


def _dropped(visible: str, text: str, cleaned: Cleaned) -> dict[str, int]:
    outside = visible_chars(visible) - visible_chars(text) - sum(cleaned.dropped.values())
    return {**cleaned.dropped, **({"outside": outside} if outside > 0 else {})}


logging.getLogger("htmldate").setLevel(logging.CRITICAL)  # repeats what it cannot parse, page text and all
