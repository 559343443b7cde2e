"""A page while it is read, and the context that its site provides. Pure."""

from dataclasses import dataclass
from datetime import datetime

from crawler.extraction import rules
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Tree
from crawler.extraction.rest.reading import NO_TEXTS, PageTexts
from crawler.extraction.shown import NO_PAGE_STYLES, show_as_styled
from crawler.extraction.template import NO_TEMPLATE, Template
from crawler.extraction.visible_outline import HiddenContent, remove_hidden
from storage.records import NO_RULES, SiteRules


@dataclass(frozen=True, slots=True)
class PageContext:
    """Information about a page before it is read.

    Attributes:
        rules: selectors for its text and fields.
        repeated: hashes of the sentences that its site prints on many pages
            (:func:`crawler.extraction.repeats.sentence_hash`).
        sheets: (address, rules) of the style sheets of its pages
            (:func:`crawler.extraction.stylesheets.kept_rules`).
        timezone: zone of dates that name none, as :func:`storage.records.zone_of` accepts it.
        fetched: when the page was fetched; without it, dates such as 昨天 are not read.
        template: the common layout of the site's pages.
        content_type: type of the response, without parameters; XHTML served as such is parsed as XML.
        is_rendered: the bytes are a page as a browser showed it, including the browser's marks
            (:mod:`crawler.download.browser.document`).
        max_rest_chars: largest number of characters of the rest that are kept.
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


NO_CONTEXT = PageContext()


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page while it is read: its tree without hidden elements, its lines and its context."""

    tree: Tree
    outline: Outline
    hidden: HiddenContent
    url: str
    context: PageContext
    steps: OptionalSteps
    texts: PageTexts = NO_TEXTS

    @property
    def visible(self) -> str:
        """Return its visible text, one line of the page on each line."""
        return "\n".join(line.text for line in self.outline.lines)


def open_page(
    tree: Tree, texts: PageTexts, *, url: str, context: PageContext, steps: OptionalSteps
) -> OpenPage:
    """Return a page as a reader sees it. Hidden elements are removed from the tree.

    Args:
        tree: the page as parsed.
        texts: all texts of the page.
        url: its address.
        context: what is known about it beforehand.
        steps: records the steps that fail.
    """
    steps.attempt("rules", lambda: rules.remove(tree, context.rules), otherwise=None)
    shown, read = NO_PAGE_STYLES, None if context.rules.remove else texts.marked
    if not context.is_rendered:
        shown = steps.attempt(
            "shown",
            lambda: show_as_styled(
                tree, dict(context.sheets), url, marked=read, may_reverse=read is None or texts.may_reverse
            ),
            otherwise=NO_PAGE_STYLES,
        )
    marked = None if texts.marks is None else texts.marks.hidden
    outline, hidden = remove_hidden(tree, dict(context.sheets), url, steps, marked=marked, shown=shown)
    return OpenPage(tree, outline, hidden, url, context, steps, texts)
