"""A page's bytes to its text, its fields, and a verdict on whether it can be compared. Pure: no network.

The steps, each in its own module so that each can be replaced: decode → parse → what is hidden → lines and
blocks → fields → the article's block → other opinions → clean → next links → kind. The same bytes give the
same result, and no page makes it raise.
"""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from crawler.extraction import rules
from crawler.extraction.anchors import heading, titled
from crawler.extraction.block import Block, main_block
from crawler.extraction.chapters import NO_HEADING, chapter_heading
from crawler.extraction.cleaning import asks_to_turn, clean
from crawler.extraction.embedded import embedded_lines
from crawler.extraction.hidden import hidden_elements
from crawler.extraction.metadata import Metadata, metadata, parse_time
from crawler.extraction.outline import Outline, outline
from crawler.extraction.pagekind import Evidence, page_kind
from crawler.extraction.repeats import without_repeats
from crawler.extraction.sheets import Sheets
from crawler.extraction.voting import Choice, choose
from crawler.nextpage import next_links
from crawler.parsing import Element, Tree, decode_page, parse, unpacked, visible_chars
from storage.decoding import looks_binary
from storage.records import NO_RULES, PageKind, SiteRules

_LEAST_SHOWN: Final = (
    100  # characters of sentences; a page that shows fewer hides its article until a script runs
)
_EMBEDDED: Final = 0.5  # confidence in a text that no reader sees until a script runs


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction sees.

    Attributes:
        published: ISO 8601 with zone, or None.
        text: paragraphs separated by one newline.
        confidence: how far the two extractors agree, in [0, 1].
        next_page: where this text goes on.
        next_chapter: where the next chapter begins.
        chapter: number of the chapter, as its title has it; None without one.
        chapter_title: what the chapter is called, without its number.
        dropped: reason → number of characters that were left out.
        whole: the text with the sentences that were left out because the site repeats them; what the site's
            learner counts, and what tells whether the page changed or only what we know of its site.
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
    chapter: int | None = None
    chapter_title: str | None = None
    dropped: dict[str, int] = field(default_factory=dict)
    whole: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields in order, as ``pindna extract --json`` prints them."""
        return {name: value for name, value in asdict(self).items() if name != "whole"}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page's site beforehand.

    Attributes:
        rules: where its text and fields stand.
        repeated: hashes of the sentences that it prints on many pages
            (:func:`crawler.extraction.repeats.sentence_hash`).
        sheets: (address, rules) of style sheets that its pages link to
            (:func:`crawler.extraction.sheets.kept_rules`).
    """

    rules: SiteRules = NO_RULES
    repeated: frozenset[int] = frozenset()
    sheets: tuple[tuple[str, str], ...] = ()


NOTHING: Final = Known()


def extract(data: bytes, *, url: str = "", declared: str | None = None, known: Known = NOTHING) -> Extracted:
    """Return the text and fields of a page.

    Args:
        data: the page's bytes as received.
        url: its address; needed to tell a next page from a next chapter, and for absolute links.
        declared: charset of the Content-Type header, if any; the page's own meta is read here.
        known: what is known of its site.

    Returns:
        The result; pages without a usable text have another kind than ``article`` and ``chapter``.
    """
    data = unpacked(data)
    if looks_binary(data):
        return Extracted(kind="empty", encoding="binary", dropped={"binary": len(data)})
    decoded = decode_page(data, declared=declared)
    tree = parse(decoded.text)
    if tree is None:
        return Extracted(kind="empty", encoding=decoded.encoding)
    return _extract(tree, encoding=decoded.encoding, url=url, known=known)


def _extract(tree: Tree, *, encoding: str, url: str, known: Known) -> Extracted:
    rules.remove(tree, known.rules)
    page, hidden = _shown(tree, dict(known.sheets), url)
    fields = _fields(tree, page, url, known.rules)
    visible = "\n".join(line.text for line in page.lines)
    turns_page = asks_to_turn(visible)
    rule = rules.target_of(tree, known.rules.next_page)
    links = next_links(tree, url=url, rule=rule, turns_page=turns_page)
    block = main_block(page, title=fields.title, descriptions=fields.descriptions)
    choice = _choice(tree, page, block, fields.title, known.rules)
    cleaned = clean(choice.lines)
    lines, repeated = without_repeats(cleaned.lines, known.repeated)
    text = "\n".join(lines)
    evidence = Evidence(
        title=fields.title,
        page=page,
        block=block,
        text=text,
        raw="\n".join(choice.lines) or visible,
        turns_page=turns_page,
        has_next_page=links.page is not None,
        is_ruled=choice.is_ruled,
    )
    kind = page_kind(tree, evidence)
    chapter = chapter_heading(fields.title) if kind == "chapter" else NO_HEADING
    reasons = {**cleaned.dropped, "repeated": sum(map(visible_chars, repeated)), "hidden": hidden}
    return Extracted(
        kind=kind,
        encoding=encoding,
        title=fields.title,
        author=fields.author,
        published=fields.published.isoformat() if fields.published else None,
        site_name=fields.site_name,
        text=text,
        confidence=round(choice.confidence, 3),
        next_page=links.page,
        next_chapter=links.chapter,
        chapter=chapter.number,
        chapter_title=chapter.title,
        dropped=_dropped(visible_chars(visible) - visible_chars(text), reasons),
        whole="\n".join(without_repeats(cleaned.lines, ())[0]) if repeated else text,
    )


def _fields(tree: Tree, page: Outline, url: str, ruled: SiteRules) -> Metadata:
    """Return what the page says about itself, the source's rules first."""
    fields = metadata(tree, lines=[line.text for line in page.lines], url=url)
    published = rules.field_of(tree, ruled.published)
    title = rules.field_of(tree, ruled.title)
    if not title:  # some sites call all their pages the same; no line of the page says so
        title = fields.title if titled(page, fields.title) is not None else heading(page) or fields.title
    return replace(
        fields,
        title=title,
        author=rules.field_of(tree, ruled.author) or fields.author,
        published=(parse_time(published) if published else None) or fields.published,
    )


def _choice(tree: Tree, page: Outline, block: Block, title: str, ruled: SiteRules) -> Choice:
    """Return the article's lines: by the source's rules, from the page, or from what scripts would show."""
    lines = rules.text_lines(tree, ruled)
    if lines:
        return Choice(tuple(lines), 1.0, is_ruled=True)
    if block.prose_chars < _LEAST_SHOWN and (article := embedded_lines(tree)):
        return Choice(tuple(article), _EMBEDDED)
    return choose(tree, page, block, title=title)


def _shown(tree: Tree, sheets: Sheets, url: str) -> tuple[Outline, int]:
    """Take what is hidden out of the tree; returns what is left and how many characters went.

    A page that would show next to nothing shows its article by a script: there nothing is taken out. Sheets
    of their own are written for all pages of a site and its scripts: where they would hide more than they
    leave, they are not believed.
    """
    hidden = hidden_elements(tree, sheets=sheets, url=url)
    body = tree.find("body")
    if body is None:
        body = tree
    page = outline(body, hidden=hidden)
    if hidden and sheets and _prose_of(hidden) > _prose(page):
        return _shown(tree, {}, url)
    if not hidden:
        return page, 0
    if _prose(page) < _LEAST_SHOWN:
        everything = outline(body)
        if _prose(everything) >= _LEAST_SHOWN:
            return everything, 0
    return page, _drop(hidden)


def _prose_of(hidden: AbstractSet[Element]) -> int:
    """Return the characters of sentences in elements, each once."""
    top = [each for each in hidden if hidden.isdisjoint(each.iterancestors())]
    return sum(_prose(outline(each)) for each in top)


def _prose(page: Outline) -> int:
    return sum(line.chars for line in page.lines if line.is_prose)


def _drop(hidden: Collection[Element]) -> int:
    """Take elements out of their tree; returns how many characters they held."""
    chars = 0
    for element in hidden:
        if element.getparent() is not None:
            chars += visible_chars("".join(element.itertext()))
            element.drop_tree()
    return chars


def _dropped(outside: int, reasons: dict[str, int]) -> dict[str, int]:
    """Return the reasons that dropped anything; what no step dropped is ``outside`` the article."""
    rest = outside - sum(count for reason, count in reasons.items() if reason != "hidden")
    return {
        **{reason: count for reason, count in reasons.items() if count},
        **({"outside": rest} if rest > 0 else {}),
    }
