"""The lines of a page that are its article: from rules, its block, its data or its posts. Pure."""

from dataclasses import replace

from crawler.extraction import rules
from crawler.extraction.block import Block, block_at, main_block, whole_page
from crawler.extraction.embedded import hidden_article
from crawler.extraction.metadata import Metadata
from crawler.extraction.open_page import OpenPage
from crawler.extraction.outline import line_of
from crawler.extraction.stamps import is_stamp
from crawler.extraction.template import find_container
from crawler.extraction.threads import Thread
from crawler.extraction.trimming import trim
from crawler.extraction.voting import Choice, TemplateBlock, choose

# confidence in a text from a script, and in one that the page's description confirms
_EMBEDDED_CONFIDENCE = (0.5, 0.9)
_UNNAMED = 0.8  # factor for the confidence in a text with neither the page's title nor its description
_DATED = 0.75  # factor for the confidence in a text with many dates
_MIN_DATES = 3
_MAX_DATES = 0.1  # share of lines
_OF_POSTS = 0.89  # confidence in posts that all have an author and a date


def block_of(page: OpenPage, fields: Metadata) -> Block:
    """Return the article's block; the whole page if it cannot be found."""
    block = page.steps.attempt(
        "block",
        lambda: main_block(page.outline, title=fields.title, descriptions=fields.descriptions),
        otherwise=None,
    )
    return whole_page(page.outline) if block is None else block


def _template_block(page: OpenPage, block: Block, fields: Metadata) -> TemplateBlock | None:
    """Return the container by the site's template; None if the page does not have it."""
    template = page.context.template
    number = find_container(page.outline, template)
    if number is None:
        return None
    if number != block.number:
        block = block_at(page.outline, number, title=fields.title, descriptions=fields.descriptions)
    return TemplateBlock(block, template.frame)


def choice_of(page: OpenPage, block: Block, fields: Metadata) -> Choice:
    """Return the article's lines: from the source's rules, the page, or its scripts.

    Agreement of the extractors shows where the page has its sentences. The title or description shows whether
    these are its text. Without both, as on home pages of portals, confidence is lower.
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
        title = "" if article.is_added else article.title
        return Choice(text, confidence, is_embedded=True, is_named=is_named, title=title)
    template_block = steps.attempt("template", lambda: _template_block(page, block, fields), otherwise=None)
    choice = steps.attempt(
        "choice",
        lambda: choose(
            page.tree, page.outline, block, title=fields.title, template_block=template_block, steps=steps
        ),
        otherwise=Choice(tuple(line.text for line in block.lines), block.prose_share),
    )
    is_named = block.is_titled or block.is_anchored
    factor = (1.0 if is_named else _UNNAMED) * (_DATED if _is_dated(choice) else 1.0)
    return replace(choice, confidence=factor * choice.confidence)


def _is_dated(choice: Choice) -> bool:
    """Return whether so many lines are dates that the text may be posts, or items of a list."""
    dates = sum(is_stamp(line_of(line)) for line in choice.lines)
    return dates >= max(_MIN_DATES, _MAX_DATES * len(choice.lines))


def posts_choice(thread: Thread) -> Choice:
    """Return the lines of all posts; confidence rises with the share of known authors and dates.

    It is less than the confidence in a text on which extractors agree.
    """
    lines = tuple(line for post in thread.posts for line in post.lines)
    return Choice(lines, _OF_POSTS * thread.confidence)
