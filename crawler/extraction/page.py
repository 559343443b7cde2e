"""Extract a page's text, fields and kind from its bytes; the kind shows if it can be compared. Pure.

The steps, each in its own replaceable module: decode → parse → remove hidden elements → lines and blocks →
fields → posts, or the article's block and other extractors → clean → next links → kind. The same bytes give
the same result.

No page raises an exception. A failed step loses its own result, never the text, and is listed in the page's
result (:mod:`crawler.extraction.optional_steps`). A page is ``unreadable`` if it cannot be read at all, or if
it seems empty because a step failed.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from crawler.extraction import rules
from crawler.extraction.anchors import Anchor, anchors_of
from crawler.extraction.block import text_block
from crawler.extraction.chapters import NO_HEADING, Heading, chapter_heading
from crawler.extraction.cleaning import asks_to_turn_page
from crawler.extraction.garbage import paused_collector
from crawler.extraction.json_answers import markup_of
from crawler.extraction.metadata import NO_FIELDS, Metadata, metadata
from crawler.extraction.nextpage import NO_LINKS, NextLinks, next_links
from crawler.extraction.open_page import NO_CONTEXT, OpenPage, PageContext, open_page
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.page_article import article_of, drop_counts
from crawler.extraction.page_choice import block_of, choice_of, posts_choice
from crawler.extraction.page_rest import rest_outside
from crawler.extraction.pagekind import Evidence, is_chapter, page_kind
from crawler.extraction.parsing import (
    charset_of,
    decode_page,
    parse_page,
    unpack,
    without_controls,
)
from crawler.extraction.publication import Clock
from crawler.extraction.rest.other_readings import other_lines
from crawler.extraction.rest.reading import NO_TEXTS, collect_texts
from crawler.extraction.rest.strings import script_lines
from crawler.extraction.rest.unread import unread_of
from crawler.extraction.result import (
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    TOO_LONG,
    ExtractedPage,
    field_text,
    storable_result,
)
from crawler.extraction.short_texts import confidence_in, is_text
from crawler.extraction.template import PageForm, form_of
from crawler.extraction.threads import NO_POSTS, PagePosts, find_posts, spans
from crawler.extraction.title_lines import (
    chapter_title,
    names_site,
    page_heading,
    title_line,
    unmarked_title,
)
from crawler.extraction.voting import Choice
from fingerprint.text.han import CHAPTER_TITLE
from storage.records import PageKind, zone_of
from storage.records.dates import first_date

_XML_TYPES = frozenset({"application/xhtml+xml", "application/xml", "text/xml"})
# Increase this if extraction changes so much that unchanged pages must be read again.
EXTRACTION_VERSION = "10"
_MIN_TEACHING = 0.735  # minimum confidence in a text from which its site's template is learnt
# If one of these steps fails, the text may be missing.
_FINDING_STEPS = frozenset({"markup", "rules", "block", "embedded", "choice", "opinions", "cleaning"})


def extract(
    data: bytes, *, url: str = "", declared: str | None = None, context: PageContext = NO_CONTEXT
) -> ExtractedPage:
    """Return the text and fields of a page; never raises.

    Args:
        data: the page's bytes as received; only the first 16 MiB are read.
        url: its address; needed to distinguish next pages from next chapters, and for absolute links.
        declared: charset of the Content-Type header, if any; the page's meta element is read here.
        context: what is known about the page and its site.

    Returns:
        The result, including the names of failed steps. Pages without a usable text have another kind than
        ``article``, ``chapter`` and ``thread``.
    """
    steps = OptionalSteps()
    with paused_collector():
        result = steps.attempt(
            "page",
            lambda: _read_page(data, url=url, declared=declared, context=context, steps=steps),
            otherwise=ExtractedPage(
                kind="unreadable", encoding="", dropped={"unreadable": len(data)}, unread={"failed": 1}
            ),
        )
    return replace(result, failed_steps=tuple(steps.failed))


def _read_page(
    data: bytes, *, url: str, declared: str | None, context: PageContext, steps: OptionalSteps
) -> ExtractedPage:
    unpacked = unpack(data)
    markup = without_controls(unpacked)
    if markup is None:
        return ExtractedPage(kind="empty", encoding="binary", dropped={"binary": len(unpacked)})
    decoded = decode_page(markup, declared=declared)
    source = markup_of(decoded.text)
    page = parse_page(source, is_xml=context.content_type.lower() in _XML_TYPES)
    if (
        page is None and context.content_type.lower() == "text/plain"
    ):  # a browser would show the comments of such a page
        page = parse_page(f"<pre>{escape(source)}</pre>")
    if page is None:
        return ExtractedPage(kind="empty", encoding=decoded.encoding)
    if not page.is_whole:
        steps.note("markup")
    texts = steps.attempt(
        "rest",
        lambda: collect_texts(
            page,
            decoded.text,
            sheets=[sheet for _, sheet in context.sheets],
            other_lines=[
                *other_lines(markup, decoded, charset=charset_of(markup, declared=declared)),
                *(script_lines(decoded.text) if source is not decoded.text else ()),
            ],
            is_rendered=context.is_rendered,
        ),
        otherwise=NO_TEXTS,
    )
    extracted = _extract(open_page(page.tree, texts, url=url, context=context, steps=steps))
    result = storable_result(replace(extracted, encoding=decoded.encoding))
    if TOO_LONG in result.dropped:
        steps.note("length")
    unread = steps.attempt(
        "unread",
        lambda: unread_of(decoded.text, texts, result, is_rendered=context.is_rendered, failed=steps.failed),
        otherwise=result.unread | {"failed": 1},
    )
    return replace(result, unread=unread)


def _extract(page: OpenPage) -> ExtractedPage:
    steps = page.steps
    fields = steps.attempt("fields", lambda: _fields(page), otherwise=NO_FIELDS)
    turns_page = steps.attempt("links", lambda: asks_to_turn_page(page.visible), otherwise=False)
    posts = steps.attempt("thread", lambda: _posts(page, fields), otherwise=NO_POSTS)
    thread = posts.thread
    anchors = steps.attempt("links", lambda: anchors_of(page.tree), otherwise=list[Anchor]())
    is_serial = is_chapter(fields.title, anchors)
    links = _links(page, anchors, turns_page=turns_page, is_serial=is_serial, is_thread=thread is not None)
    uncommented = replace(page, outline=page.outline.with_menu(posts.comments))
    block = block_of(uncommented, fields)
    choice = choice_of(uncommented, block, fields) if thread is None else posts_choice(thread)
    if choice.title and not page.context.rules.title:
        fields = replace(fields, title=field_text(choice.title, max_chars=MAX_TITLE_CHARS))
    sections = [choice.lines] if thread is None else [post.lines for post in thread.posts]
    article = article_of(page, sections)
    evidence = Evidence(
        title=fields.title,
        page=page.outline,
        block=text_block(choice.lines, is_titled=choice.is_named) if choice.is_embedded else block,
        text=article.text,
        raw="\n".join(article.raw) or page.visible,
        turns_page=turns_page,
        has_next_page=links.page is not None,
        is_ruled=choice.is_ruled,
        is_thread=thread is not None,
        is_serial=is_serial,
        confidence=choice.confidence,
    )
    kind = _kind(page, evidence)
    rest = rest_outside(page, article, posts, block=block if choice.is_embedded else None)
    chapter = _chapter(page, kind, fields.title)
    return ExtractedPage(
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
        dropped=drop_counts(page, article),
        whole=article.whole,
        posts=() if thread is None else spans(thread, article.sections),
        form=_form(page, kind, choice),
        rest=rest.text,
        rest_pieces=rest.pieces,
        unread={"limit": rest.cut_chars},
    )


def _fields(page: OpenPage) -> Metadata:
    """Return the page's fields; the source's rules come first."""
    tree, site_rules, zone = page.tree, page.context.rules, zone_of(page.context.timezone)
    fields = metadata(tree, page.outline, url=page.url, clock=Clock(zone, page.context.fetched))
    published = rules.field_of(tree, site_rules.published)
    title = rules.field_of(tree, site_rules.title)
    if not title:  # some sites give all their pages the same title, which no line of the page repeats
        is_repeated = title_line(page.outline, fields.title) is not None
        if not is_repeated or names_site(fields.title):
            title = page_heading(page.outline) or unmarked_title(page.outline)
        title = title or fields.title
        if not CHAPTER_TITLE.search(title):
            title = chapter_title(page.outline) or title
    author = field_text(rules.field_of(tree, site_rules.author), max_chars=MAX_NAME_CHARS)
    return replace(
        fields,
        title=field_text(title, max_chars=MAX_TITLE_CHARS),
        author=author or fields.author,
        published=first_date(published, zone=zone) or fields.published,
    )


def _links(
    page: OpenPage, anchors: Sequence[Anchor], *, turns_page: bool, is_serial: bool, is_thread: bool
) -> NextLinks:
    """Return the next page and the next chapter; empty if the links cannot be read."""
    links = page.steps.attempt(
        "links",
        lambda: next_links(
            page.tree,
            anchors,
            url=page.url,
            rule=rules.target_of(page.tree, page.context.rules.next_page),
            turns_page=turns_page,
            is_serial=is_serial,
            is_thread=is_thread,
        ),
        otherwise=NO_LINKS,
    )
    return replace(links, chapter=None) if is_thread else links


def _chapter(page: OpenPage, kind: PageKind, title: str) -> Heading:
    """Return the number and title of a chapter; empty for other pages."""
    if kind != "chapter":
        return NO_HEADING
    return page.steps.attempt("chapter", lambda: chapter_heading(title), otherwise=NO_HEADING)


def _form(page: OpenPage, kind: PageKind, choice: Choice) -> PageForm | None:
    """Return the layout of the page, for its site's template; None if its text is uncertain."""
    if kind not in {"article", "chapter"} or choice.is_ruled or choice.confidence < _MIN_TEACHING:
        return None
    return page.steps.attempt("template", lambda: form_of(page.outline, choice.lines), otherwise=None)


def _posts(page: OpenPage, fields: Metadata) -> PagePosts:
    """Return the posts of a page, unless the source's rules select its text."""
    if page.context.rules.text:
        return NO_POSTS
    clock = Clock(zone_of(page.context.timezone), page.context.fetched)
    return find_posts(page.tree, page.outline, fields=fields, url=page.url, clock=clock)


def _kind(page: OpenPage, evidence: Evidence) -> PageKind:
    """Return the page's kind; a page that seems empty because a step failed is unreadable."""
    has_text = is_text(evidence.text)
    fallback: PageKind = "article" if has_text else "unreadable"
    kind = page.steps.attempt("kind", lambda: page_kind(page.tree, evidence), otherwise=fallback)
    seems_empty = kind == "empty" or (kind == "list" and not has_text)
    return "unreadable" if seems_empty and _FINDING_STEPS.intersection(page.steps.failed) else kind
