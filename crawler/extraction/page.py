"""From a page's bytes to its text, its fields, and its kind, which says whether it can be compared. Pure.

The steps, each in its own module so that each can be replaced: decode → parse → remove hidden elements →
lines and blocks → fields → posts, or the article's block and other extractors → clean → next links → kind.
The same bytes give the same result.

No page makes it raise. A step that fails costs its own result, never the text, and is named in the page's
result (:mod:`crawler.extraction.optional_steps`). A page that cannot be read at all, or that seems empty
because a step failed, is ``unreadable``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from html import escape

from crawler.extraction import rules
from crawler.extraction.anchors import Anchor, anchors_of
from crawler.extraction.block import Block, block_at, main_block, text_block, whole_page
from crawler.extraction.chapters import NO_HEADING, chapter_heading
from crawler.extraction.cleaning import CleanedLines, asks_to_turn, clean
from crawler.extraction.embedded import hidden_article
from crawler.extraction.json_answers import markup_of
from crawler.extraction.metadata import NO_FIELDS, Metadata, metadata
from crawler.extraction.nextpage import NO_LINKS, NextLinks, next_links
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import Outline
from crawler.extraction.pagekind import Evidence, is_chapter, page_kind
from crawler.extraction.parsing import (
    Tree,
    charset_of,
    decode_page,
    parse_page,
    unpack,
    visible_chars,
    without_controls,
)
from crawler.extraction.publication import Clock
from crawler.extraction.repeats import without_repeats
from crawler.extraction.rest.as_shown import new_lines, page_lines
from crawler.extraction.rest.chinese import keys_of
from crawler.extraction.rest.compose import NO_REST, Decisions, Rest, rest_of
from crawler.extraction.rest.other_readings import other_lines
from crawler.extraction.rest.reading import NO_TEXTS, PageTexts, collect_texts
from crawler.extraction.rest.strings import script_lines
from crawler.extraction.rest.unread import unread_of
from crawler.extraction.result import (
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    TOO_LONG,
    Extracted,
    field_text,
    storable_result,
)
from crawler.extraction.short_texts import confidence_in, is_text
from crawler.extraction.shown import NOT_SHOWN, show_as_styled
from crawler.extraction.template import NO_TEMPLATE, PageForm, Template, find_container, form_of
from crawler.extraction.threads import NO_POSTS, PagePosts, Thread, find_posts, spans
from crawler.extraction.title_lines import page_heading, title_line
from crawler.extraction.trimming import trim
from crawler.extraction.visible_outline import Hidden, remove_hidden
from crawler.extraction.voting import Choice, Taught, choose
from storage.records import NO_RULES, PageKind, SiteRules, zone_of
from storage.records.dates import first_date

_XML_TYPES = frozenset({"application/xhtml+xml", "application/xml", "text/xml"})
# To be raised when extraction changes so much that unchanged pages should be read again.
EXTRACTION_VERSION = "8"
_MIN_TEACHING = 0.75  # confidence in a text from which its site's template is learnt
_EMBEDDED_CONFIDENCE = (0.5, 0.9)  # in a text that a script shows; … of which the description tells
_UNNAMED = 0.8  # of the confidence in a text with neither the page's title nor its description
# Steps without which a text may not be found.
_FINDING_STEPS = frozenset({"markup", "rules", "block", "embedded", "choice", "opinions", "cleaning"})


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page beforehand.

    Attributes:
        rules: selectors of its text and fields.
        repeated: hashes of the sentences that it prints on many pages
            (:func:`crawler.extraction.repeats.sentence_hash`).
        sheets: (address, rules) of the style sheets of its pages
            (:func:`crawler.extraction.stylesheets.kept_rules`).
        timezone: of dates that name none, as :func:`storage.records.zone_of` takes it.
        fetched: when the page was fetched; without it, dates such as 昨天 are not read.
        template: what the site's pages have in common.
        content_type: of the response, without parameters: XHTML is parsed as XML when it is served so.
        is_rendered: the bytes are a page as a browser showed it, with the browser's marks in it
            (:mod:`crawler.download.browser.document`).
        max_rest_chars: of the rest that are kept.
    """

    rules: SiteRules = NO_RULES
    repeated: frozenset[int] = frozenset()
    sheets: tuple[tuple[str, str], ...] = ()
    timezone: str = "+08:00"
    fetched: datetime | None = None
    template: Template = NO_TEMPLATE
    content_type: str = ""
    is_rendered: bool = False
    max_rest_chars: int = 100_000


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that is being read: its tree without hidden elements, its lines, what is known of its site."""

    tree: Tree
    outline: Outline
    hidden: Hidden
    url: str
    known: Known
    steps: OptionalSteps
    texts: PageTexts = NO_TEXTS

    @property
    def visible(self) -> str:
        return "\n".join(line.text for line in self.outline.lines)


@dataclass(frozen=True, slots=True)
class _Article:
    """A page's text, and what was left out.

    Attributes:
        raw: lines of the article before any cleaning.
        sections: lines of the text; a section for each post, else one.
        repeated: sentences that were left out because the site repeats them.
        whole: the text with these sentences.
        dropped: reason → number of characters that cleaning removed.
    """

    raw: tuple[str, ...]
    sections: tuple[tuple[str, ...], ...]
    repeated: tuple[str, ...]
    whole: str
    dropped: Mapping[str, int]

    @property
    def text(self) -> str:
        return "\n".join(line for section in self.sections for line in section)


def extract(data: bytes, *, url: str = "", declared: str | None = None, known: Known = NOTHING) -> Extracted:
    """Return the text and fields of a page; never raises.

    Args:
        data: the page's bytes as received; only the first 16 MiB are read.
        url: its address; needed to tell a next page from a next chapter, and for absolute links.
        declared: charset of the Content-Type header, if any; the page's own meta element is read here.
        known: what is known of it and of its site.

    Returns:
        The result; pages without a usable text have another kind than ``article``, ``chapter`` and
        ``thread``. Steps that failed are named in it.
    """
    steps = OptionalSteps()
    result = steps.attempt(
        "page",
        lambda: _read_page(data, url=url, declared=declared, known=known, steps=steps),
        otherwise=Extracted(
            kind="unreadable", encoding="", dropped={"unreadable": len(data)}, unread={"failed": 1}
        ),
    )
    return replace(result, failed_steps=tuple(steps.failed))


def _read_page(
    data: bytes, *, url: str, declared: str | None, known: Known, steps: OptionalSteps
) -> Extracted:
    unpacked = unpack(data)
    markup = without_controls(unpacked)
    if markup is None:
        return Extracted(kind="empty", encoding="binary", dropped={"binary": len(unpacked)})
    decoded = decode_page(markup, declared=declared)
    source = markup_of(decoded.text)
    page = parse_page(source, is_xml=known.content_type.lower() in _XML_TYPES)
    if page is None and known.content_type.lower() == "text/plain":  # a browser shows comments of such a page
        page = parse_page(f"<pre>{escape(source)}</pre>")
    if page is None:
        return Extracted(kind="empty", encoding=decoded.encoding)
    if not page.is_whole:
        steps.note("markup")
    texts = steps.attempt(
        "rest",
        lambda: collect_texts(
            page.tree,
            decoded.text,
            sheets=[sheet for _, sheet in known.sheets],
            others=[
                *other_lines(markup, decoded, charset=charset_of(markup, declared=declared)),
                *(script_lines(decoded.text) if source is not decoded.text else ()),
            ],
            is_rendered=known.is_rendered,
        ),
        otherwise=NO_TEXTS,
    )
    extracted = _extract(page.tree, texts, url, known, steps)
    result = storable_result(replace(extracted, encoding=decoded.encoding))
    if TOO_LONG in result.dropped:
        steps.note("length")
    unread = steps.attempt(
        "unread",
        lambda: unread_of(decoded.text, texts, result, is_rendered=known.is_rendered, failed=steps.failed),
        otherwise=result.unread | {"failed": 1},
    )
    return replace(result, unread=unread)


def _extract(tree: Tree, texts: PageTexts, url: str, known: Known, steps: OptionalSteps) -> Extracted:
    steps.attempt("rules", lambda: rules.remove(tree, known.rules), otherwise=None)
    shown = NOT_SHOWN
    if not known.is_rendered:
        shown = steps.attempt(
            "shown", lambda: show_as_styled(tree, dict(known.sheets), url), otherwise=NOT_SHOWN
        )
    marked = None if texts.marks is None else texts.marks.hidden
    outline, hidden = remove_hidden(tree, dict(known.sheets), url, steps, marked=marked, shown=shown)
    page = _Page(tree, outline, hidden, url, known, steps, texts)
    fields = steps.attempt("fields", lambda: _fields(page), otherwise=NO_FIELDS)
    turns_page = steps.attempt("links", lambda: asks_to_turn(page.visible), otherwise=False)
    posts = steps.attempt("thread", lambda: _posts(page, fields), otherwise=NO_POSTS)
    thread = posts.thread
    anchors = steps.attempt("links", lambda: anchors_of(tree), otherwise=list[Anchor]())
    is_serial = is_chapter(fields.title, anchors)
    links = _links(page, anchors, turns_page=turns_page, is_serial=is_serial, is_thread=thread is not None)
    uncommented = replace(page, outline=page.outline.with_menu(posts.comments))
    block = _block(uncommented, fields)
    choice = _choice(uncommented, block, fields) if thread is None else _posts_choice(thread)
    sections = [choice.lines] if thread is None else [post.lines for post in thread.posts]
    article = _article(page, sections)
    evidence = Evidence(
        title=fields.title,
        page=outline,
        block=text_block(choice.lines, is_titled=choice.is_named) if choice.is_embedded else block,
        text=article.text,
        raw="\n".join(article.raw) or page.visible,
        turns_page=turns_page,
        has_next_page=links.page is not None,
        is_ruled=choice.is_ruled,
        is_thread=thread is not None,
        is_serial=is_serial,
    )
    kind = _kind(page, evidence)
    rest = _rest(page, article, posts, block=block if choice.is_embedded else None)
    chapter = NO_HEADING
    if kind == "chapter":
        chapter = steps.attempt("chapter", lambda: chapter_heading(fields.title), otherwise=NO_HEADING)
    return Extracted(
        kind=kind,
        encoding="",
        title=fields.title,
        author=fields.author,
        published=fields.published,
        site_name=fields.site_name,
        text=article.text,
        confidence=round(confidence_in(article.text, choice.confidence), 3),
        next_page=links.page,
        next_chapter=links.chapter,
        chapter=chapter.number,
        chapter_title=chapter.title,
        dropped=_drop_counts(page, article),
        whole=article.whole,
        posts=() if thread is None else spans(thread, article.sections),
        form=_form(page, kind, choice),
        rest=rest.text,
        rest_pieces=rest.pieces,
        unread={"limit": rest.cut_chars},
    )


def _fields(page: _Page) -> Metadata:
    """Return the page's fields, by the source's rules first."""
    tree, site_rules, zone = page.tree, page.known.rules, zone_of(page.known.timezone)
    fields = metadata(tree, page.outline, url=page.url, clock=Clock(zone, page.known.fetched))
    published = rules.field_of(tree, site_rules.published)
    title = rules.field_of(tree, site_rules.title)
    if not title:  # some sites give all their pages the same title, which no line of the page repeats
        is_repeated = title_line(page.outline, fields.title) is not None
        title = fields.title if is_repeated else page_heading(page.outline) or fields.title
    author = field_text(rules.field_of(tree, site_rules.author), max_chars=MAX_NAME_CHARS)
    return replace(
        fields,
        title=field_text(title, max_chars=MAX_TITLE_CHARS),
        author=author or fields.author,
        published=first_date(published, zone=zone) or fields.published,
    )


def _links(
    page: _Page, anchors: Sequence[Anchor], *, turns_page: bool, is_serial: bool, is_thread: bool
) -> NextLinks:
    """Return the next page and the next chapter; none when the links cannot be read."""
    links = page.steps.attempt(
        "links",
        lambda: next_links(
            page.tree,
            anchors,
            url=page.url,
            rule=rules.target_of(page.tree, page.known.rules.next_page),
            turns_page=turns_page,
            is_serial=is_serial,
            is_thread=is_thread,
        ),
        otherwise=NO_LINKS,
    )
    return replace(links, chapter=None) if is_thread else links


def _block(page: _Page, fields: Metadata) -> Block:
    """Return the article's block; the whole page when it cannot be found."""
    block = page.steps.attempt(
        "block",
        lambda: main_block(page.outline, title=fields.title, descriptions=fields.descriptions),
        otherwise=None,
    )
    return whole_page(page.outline) if block is None else block


def _taught(page: _Page, block: Block, fields: Metadata) -> Taught | None:
    """Return what the site's template says of the page; None where its container is not on the page."""
    template = page.known.template
    number = find_container(page.outline, template)
    if number is None:
        return None
    if number != block.number:
        block = block_at(page.outline, number, title=fields.title, descriptions=fields.descriptions)
    return Taught(block, template.frame)


def _form(page: _Page, kind: PageKind, choice: Choice) -> PageForm | None:
    """Return how the page is laid out, for its site to learn; None where its text is not certain."""
    if kind not in {"article", "chapter"} or choice.is_ruled or choice.confidence < _MIN_TEACHING:
        return None
    return page.steps.attempt("template", lambda: form_of(page.outline, choice.lines), otherwise=None)


def _choice(page: _Page, block: Block, fields: Metadata) -> Choice:
    """Return the article's lines: by the source's rules, from the page, or from its scripts.

    That extractors agree says where the page has its sentences. Whether these are its text, its own title or
    description says; without both beside the text, as on the home pages of portals, it is less sure.
    """
    steps = page.steps
    lines = steps.attempt(
        "rules", lambda: rules.text_lines(page.tree, page.known.rules), otherwise=list[str]()
    )
    if lines:
        return Choice(tuple(lines), 1.0, is_ruled=True)
    article = steps.attempt(
        "embedded",
        lambda: hidden_article(
            page.tree,
            page.hidden.data,
            page.outline,
            block,
            title=fields.title,
            descriptions=fields.descriptions,
        ),
        otherwise=None,
    )
    if article is not None:
        confidence = _EMBEDDED_CONFIDENCE[article.is_described and not article.is_added]
        is_named = article.is_described or article.is_named
        shown = trim(block.lines, title=fields.title) if article.is_added else ()
        text = (*(line.text for line in shown), *article.lines)
        return Choice(text, confidence, is_embedded=True, is_named=is_named)
    taught = steps.attempt("template", lambda: _taught(page, block, fields), otherwise=None)
    choice = steps.attempt(
        "choice",
        lambda: choose(page.tree, page.outline, block, title=fields.title, taught=taught, steps=steps),
        otherwise=Choice(tuple(line.text for line in block.lines), block.prose_share),
    )
    is_named = block.is_titled or block.is_anchored
    return choice if is_named else replace(choice, confidence=_UNNAMED * choice.confidence)


def _posts(page: _Page, fields: Metadata) -> PagePosts:
    """Return the posts of a page, unless the source's rules name its text."""
    if page.known.rules.text:
        return NO_POSTS
    clock = Clock(zone_of(page.known.timezone), page.known.fetched)
    return find_posts(page.tree, page.outline, fields=fields, url=page.url, clock=clock)


def _posts_choice(thread: Thread) -> Choice:
    """Return the lines of all posts; the more of them have an author and a date, the surer."""
    return Choice(tuple(line for post in thread.posts for line in post.lines), thread.confidence)


def _article(page: _Page, sections: Sequence[Sequence[str]]) -> _Article:
    """Return the text: the lines without what the author did not write."""
    parts = [_without_additions(page, lines, page.known.repeated) for lines in sections]
    if page.known.repeated and not is_text("\n".join(part.text for part in parts)):  # never without any
        parts = [_without_additions(page, lines, frozenset()) for lines in sections]
    dropped = Counter[str]()
    for part in parts:
        dropped.update(part.dropped)
    return _Article(
        raw=tuple(line for part in parts for line in part.raw),
        sections=tuple(section for part in parts for section in part.sections),
        repeated=tuple(sentence for part in parts for sentence in part.repeated),
        whole="\n".join(part.whole for part in parts if part.whole),
        dropped=dropped,
    )


def _without_additions(page: _Page, raw: Sequence[str], repeated_hashes: frozenset[int]) -> _Article:
    """Return one section of a text without slogans, adverts and what the site repeats."""
    steps = page.steps
    cleaned = steps.attempt("cleaning", lambda: clean(raw), otherwise=CleanedLines(tuple(raw), {}))
    lines, repeated = steps.attempt(
        "repeats",
        lambda: without_repeats(cleaned.lines, repeated_hashes),
        otherwise=(list(cleaned.lines), list[str]()),
    )
    whole = without_repeats(cleaned.lines, ())[0] if repeated else lines
    return _Article(tuple(raw), (tuple(lines),), tuple(repeated), "\n".join(whole), cleaned.dropped)


def _rest(page: _Page, article: _Article, posts: PagePosts, *, block: Block | None) -> Rest:
    """Return the page's text outside the article; ``block`` lost to a text from the page's data."""
    comments = [line.text for line in page.outline.lines[posts.comments.start : posts.comments.stop]]
    if posts.thread is not None:
        for post in posts.thread.posts:
            comments += (*post.quotes, *post.signature.split("\n"))
    decisions = Decisions(
        article=article.text.split("\n"),
        hidden=page.hidden.elements,
        removed=article.raw,
        repeated=article.repeated,
        comments=comments,
        replaced=() if block is None else [line.text for line in block.lines],
    )
    return page.steps.attempt("rest", lambda: _outside(page, decisions), otherwise=NO_REST)


def _outside(page: _Page, decisions: Decisions) -> Rest:
    """Return the lines outside the article: as they are written, and as styles show them."""
    found, keys = page.texts.found, page.texts.keys
    if page.texts.marks is None:
        shown = page_lines(page.tree, page.outline, page.hidden.lines)
        added = new_lines(shown, found, keys)
        found, keys = [*found, *added], [*keys, *keys_of([line.text for line in added])]
    return rest_of(found, keys, decisions, max_chars=page.known.max_rest_chars)


def _kind(page: _Page, evidence: Evidence) -> PageKind:
    """Return the page's kind; one that seems empty because a step failed is unreadable, not empty."""
    has_text = is_text(evidence.text)
    fallback: PageKind = "article" if has_text else "unreadable"
    kind = page.steps.attempt("kind", lambda: page_kind(page.tree, evidence), otherwise=fallback)
    seems_empty = kind == "empty" or (kind == "list" and not has_text)
    return "unreadable" if seems_empty and _FINDING_STEPS.intersection(page.steps.failed) else kind


def _drop_counts(page: _Page, article: _Article) -> dict[str, int]:
    """Return reason → number of dropped characters; what no step dropped is ``outside`` the article."""
    reasons = {**article.dropped, "repeated": sum(map(visible_chars, article.repeated))}
    outside = page.outline.chars - visible_chars(article.text) - sum(reasons.values())
    reasons |= {"hidden": page.hidden.chars, "outside": outside}
    return {reason: count for reason, count in reasons.items() if count > 0}
