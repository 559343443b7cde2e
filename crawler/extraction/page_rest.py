"""The rest of a page: the text outside the article that extraction chose. Pure."""

from crawler.extraction.block import Block
from crawler.extraction.open_page import OpenPage
from crawler.extraction.page_article import Article
from crawler.extraction.rest.as_shown import new_lines, page_lines
from crawler.extraction.rest.chinese import keys_of
from crawler.extraction.rest.compose import NO_REST, Decisions, Rest, rest_of
from crawler.extraction.threads import PagePosts


def rest_outside(page: OpenPage, article: Article, posts: PagePosts, *, block: Block | None) -> Rest:
    """Return the page's text outside the article; ``block`` was rejected for a text from the page's data."""
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


def _outside(page: OpenPage, decisions: Decisions) -> Rest:
    """Return the lines outside the article, as written and as styles show them."""
    lines, keys = page.texts.lines, page.texts.keys
    if page.texts.marks is None:
        shown = page_lines(page.tree, page.outline, page.hidden.lines)
        added = new_lines(shown, lines, keys)
        lines, keys = [*lines, *added], [*keys, *keys_of([line.text for line in added])]
    return rest_of(lines, keys, decisions, max_chars=page.context.max_rest_chars)
