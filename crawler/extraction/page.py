"""A page's bytes to its text, its fields, and a verdict on whether it can be compared. Pure: no network.

The steps, each in its own module so that each can be replaced: decode → parse → what is hidden → lines and
blocks → fields → the article's block → other opinions → clean → next links → kind. The same bytes give the
same result.

No page makes it raise. A step that fails costs what it would have told, never the text, and is named in the
result (:mod:`crawler.extraction.steps`); a page that cannot be read at all, or seems empty because a step
failed, is ``unreadable`` and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from crawler.extraction import rules
from crawler.extraction.block import Block, main_block, whole_page
from crawler.extraction.chapters import NO_HEADING, chapter_heading
from crawler.extraction.cleaning import Cleaned, asks_to_turn, clean
from crawler.extraction.embedded import embedded_lines
from crawler.extraction.metadata import NO_FIELDS, Metadata, metadata, parse_time
from crawler.extraction.nextpage import NO_LINKS, NextLinks, next_links
from crawler.extraction.outline import Outline
from crawler.extraction.pagekind import MIN_CHARS, Evidence, page_kind
from crawler.extraction.parsing import Tree, decode_page, parsed, unpacked, visible_chars
from crawler.extraction.repeats import without_repeats
from crawler.extraction.result import (
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    TOO_LONG,
    Extracted,
    kept,
    one_line,
)
from crawler.extraction.seen import MIN_SHOWN, shown
from crawler.extraction.steps import Steps
from crawler.extraction.title_lines import heading, titled
from crawler.extraction.voting import Choice, choose
from fingerprint.text.decoding import looks_binary
from storage.records import NO_RULES, PageKind, SiteRules

# Raised when extraction changes so much that unchanged pages should be read again.
EXTRACTION_VERSION = "2"
_EMBEDDED = 0.5  # confidence in a text that no reader sees until a script runs
# Steps without which a text may not be found.
_FINDING = frozenset({"markup", "rules", "block", "embedded", "choice", "opinions", "cleaning"})


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page's site beforehand.

    Attributes:
        rules: where its text and fields stand.
        repeated: hashes of the sentences that it prints on many pages
            (:func:`crawler.extraction.repeats.sentence_hash`).
        sheets: (address, rules) of style sheets that its pages link to
            (:func:`crawler.extraction.stylesheets.kept_rules`).
    """

    rules: SiteRules = NO_RULES
    repeated: frozenset[int] = frozenset()
    sheets: tuple[tuple[str, str], ...] = ()


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class _Page:
    """A page under way: its tree without what is hidden, its lines, and what is known beforehand."""

    tree: Tree
    outline: Outline
    url: str
    known: Known
    steps: Steps

    @property
    def visible(self) -> str:
        return "\n".join(line.text for line in self.outline.lines)


@dataclass(frozen=True, slots=True)
class _Article:
    """A page's text, and what became of the rest.

    Attributes:
        raw: lines of the article before any cleaning.
        repeated: sentences that were left out because the site repeats them.
    """

    raw: tuple[str, ...]
    lines: tuple[str, ...]
    repeated: tuple[str, ...]
    whole: str
    dropped: Mapping[str, int]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def extract(data: bytes, *, url: str = "", declared: str | None = None, known: Known = NOTHING) -> Extracted:
    """Return the text and fields of a page; whatever the page is, nothing is raised.

    Args:
        data: the page's bytes as received; what goes beyond 16 MiB is not read.
        url: its address; needed to tell a next page from a next chapter, and for absolute links.
        declared: charset of the Content-Type header, if any; the page's own meta is read here.
        known: what is known of its site.

    Returns:
        The result; pages without a usable text have another kind than ``article`` and ``chapter``. Steps
        that failed are named in it.
    """
    steps = Steps()
    result = steps.attempt(
        "page",
        lambda: _read(data, url=url, declared=declared, known=known, steps=steps),
        otherwise=Extracted(kind="unreadable", encoding="", dropped={"unreadable": len(data)}),
    )
    return replace(result, failed_steps=tuple(steps.failed))


def _read(data: bytes, *, url: str, declared: str | None, known: Known, steps: Steps) -> Extracted:
    data = unpacked(data)
    if looks_binary(data):
        return Extracted(kind="empty", encoding="binary", dropped={"binary": len(data)})
    decoded = decode_page(data, declared=declared)
    page = parsed(decoded.text)
    if page is None:
        return Extracted(kind="empty", encoding=decoded.encoding)
    if not page.is_whole:
        steps.note("markup")
    result = kept(replace(_extract(page.tree, url, known, steps), encoding=decoded.encoding))
    if TOO_LONG in result.dropped:
        steps.note("length")
    return result


def _extract(tree: Tree, url: str, known: Known, steps: Steps) -> Extracted:
    steps.attempt("rules", lambda: rules.remove(tree, known.rules), otherwise=None)
    seen, hidden = shown(tree, dict(known.sheets), url, steps)
    page = _Page(tree, seen, url, known, steps)
    fields = steps.attempt("fields", lambda: _fields(page), otherwise=NO_FIELDS)
    turns_page = steps.attempt("links", lambda: asks_to_turn(page.visible), otherwise=False)
    links = steps.attempt("links", lambda: _links(page, turns_page=turns_page), otherwise=NO_LINKS)
    block = _block(page, fields)
    choice = _choice(page, block, fields.title)
    article = _article(page, choice)
    evidence = Evidence(
        title=fields.title,
        page=seen,
        block=block,
        text=article.text,
        raw="\n".join(article.raw) or page.visible,
        turns_page=turns_page,
        has_next_page=links.page is not None,
        is_ruled=choice.is_ruled,
    )
    kind = _kind(page, evidence)
    chapter = NO_HEADING
    if kind == "chapter":
        chapter = steps.attempt("chapter", lambda: chapter_heading(fields.title), otherwise=NO_HEADING)
    return Extracted(
        kind=kind,
        encoding="",
        title=fields.title,
        author=fields.author,
        published=fields.published.isoformat() if fields.published else None,
        site_name=fields.site_name,
        text=article.text,
        confidence=round(choice.confidence, 3),
        next_page=links.page,
        next_chapter=links.chapter,
        chapter=chapter.number,
        chapter_title=chapter.title,
        dropped=_dropped(page, article, hidden),
        whole=article.whole,
    )


def _fields(page: _Page) -> Metadata:
    """Return what the page says about itself, the source's rules first."""
    tree, ruled = page.tree, page.known.rules
    fields = metadata(tree, lines=[line.text for line in page.outline.lines], url=page.url)
    published = rules.field_of(tree, ruled.published)
    title = rules.field_of(tree, ruled.title)
    if not title:  # some sites call all their pages the same; no line of the page says so
        shown_title = titled(page.outline, fields.title)
        title = fields.title if shown_title is not None else heading(page.outline) or fields.title
    author = one_line(rules.field_of(tree, ruled.author), max_chars=MAX_NAME_CHARS)
    return replace(
        fields,
        title=one_line(title, max_chars=MAX_TITLE_CHARS),
        author=author or fields.author,
        published=(parse_time(published) if published else None) or fields.published,
    )


def _links(page: _Page, *, turns_page: bool) -> NextLinks:
    rule = rules.target_of(page.tree, page.known.rules.next_page)
    return next_links(page.tree, url=page.url, rule=rule, turns_page=turns_page)


def _block(page: _Page, fields: Metadata) -> Block:
    """Return the article's block; the whole page when it cannot be told where that is."""
    block = page.steps.attempt(
        "block",
        lambda: main_block(page.outline, title=fields.title, descriptions=fields.descriptions),
        otherwise=None,
    )
    return whole_page(page.outline) if block is None else block


def _choice(page: _Page, block: Block, title: str) -> Choice:
    """Return the article's lines: by the source's rules, from the page, or from what scripts would show."""
    steps = page.steps
    lines = steps.attempt(
        "rules", lambda: rules.text_lines(page.tree, page.known.rules), otherwise=list[str]()
    )
    if lines:
        return Choice(tuple(lines), 1.0, is_ruled=True)
    if block.prose_chars < MIN_SHOWN:
        article = steps.attempt("embedded", lambda: embedded_lines(page.tree), otherwise=list[str]())
        if article:
            return Choice(tuple(article), _EMBEDDED)
    return steps.attempt(
        "choice",
        lambda: choose(page.tree, page.outline, block, title=title, steps=steps),
        otherwise=Choice(tuple(line.text for line in block.lines), block.prose_share),
    )


def _article(page: _Page, choice: Choice) -> _Article:
    """Return the text: the lines without what the author did not write."""
    steps = page.steps
    cleaned = steps.attempt("cleaning", lambda: clean(choice.lines), otherwise=Cleaned(choice.lines, {}))
    lines, repeated = steps.attempt(
        "repeats",
        lambda: without_repeats(cleaned.lines, page.known.repeated),
        otherwise=(list(cleaned.lines), list[str]()),
    )
    whole = without_repeats(cleaned.lines, ())[0] if repeated else lines
    return _Article(choice.lines, tuple(lines), tuple(repeated), "\n".join(whole), cleaned.dropped)


def _kind(page: _Page, evidence: Evidence) -> PageKind:
    """Return the page's kind; one that seems empty because a step failed is unreadable, not empty."""
    is_text = visible_chars(evidence.text) >= MIN_CHARS
    fallback: PageKind = "article" if is_text else "unreadable"
    kind = page.steps.attempt("kind", lambda: page_kind(page.tree, evidence), otherwise=fallback)
    is_nothing = kind == "empty" or (kind == "list" and not is_text)
    return "unreadable" if is_nothing and _FINDING.intersection(page.steps.failed) else kind


def _dropped(page: _Page, article: _Article, hidden: int) -> dict[str, int]:
    """Return the reasons that dropped anything; what no step dropped is ``outside`` the article."""
    reasons = {**article.dropped, "repeated": sum(map(visible_chars, article.repeated))}
    outside = visible_chars(page.visible) - visible_chars(article.text) - sum(reasons.values())
    reasons |= {"hidden": hidden, "outside": outside}
    return {reason: count for reason, count in reasons.items() if count > 0}
