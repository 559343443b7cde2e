"""The lines of a page that are its article: by rules, from its block, from its data, from its posts. Pure."""

from dataclasses import replace

from crawler.extraction import rules
from crawler.extraction.block import Block, block_at, main_block, whole_page
from crawler.extraction.embedded import hidden_article
from crawler.extraction.metadata import Metadata
from crawler.extraction.open_page import OpenPage
from crawler.extraction.template import find_container
from crawler.extraction.threads import Thread
from crawler.extraction.trimming import trim
from crawler.extraction.voting import Choice, Taught, choose

_EMBEDDED_CONFIDENCE = (0.5, 0.9)  # in a text that a script shows; … which the description confirms
_UNNAMED = 0.8  # of the confidence in a text with neither the page's title nor its description


def block_of(page: OpenPage, fields: Metadata) -> Block:
    """Return the article's block; the whole page when it cannot be found."""
    block = page.steps.attempt(
        "block",
        lambda: main_block(page.outline, title=fields.title, descriptions=fields.descriptions),
        otherwise=None,
    )
    return whole_page(page.outline) if block is None else block


def _taught(page: OpenPage, block: Block, fields: Metadata) -> Taught | None:
    """Return what the site's template says of the page; None where its container is not on the page."""
    template = page.context.template
    number = find_container(page.outline, template)
    if number is None:
        return None
    if number != block.number:
        block = block_at(page.outline, number, title=fields.title, descriptions=fields.descriptions)
    return Taught(block, template.frame)


def choice_of(page: OpenPage, block: Block, fields: Metadata) -> Choice:
    """Return the article's lines: by the source's rules, from the page, or from its scripts.

    That extractors agree says where the page has its sentences. Whether these are its text, its own title or
    description says; without both, as on the home pages of portals, it is less sure.
    """
    steps = page.steps
    lines = steps.attempt(
        "rules", lambda: rules.text_lines(page.tree, page.context.rules), otherwise=list[str]()
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


def posts_choice(thread: Thread) -> Choice:
    """Return the lines of all posts; the more of them have an author and a date, the surer."""
    return Choice(tuple(line for post in thread.posts for line in post.lines), thread.confidence)
