"""Collects every text of a page, before extraction removes anything from it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.extraction.parsing import Tree
from crawler.extraction.rest.documents import Documents, walk_over
from crawler.extraction.rest.found import Found
from crawler.extraction.rest.sweep import lost_lines


@dataclass(frozen=True, slots=True)
class PageTexts:
    """Every text of a page.

    Attributes:
        found: lines with Chinese, in document order; last what only the source has.
        scripts: contents of its scripts that are programs.
        sheets: contents of its style sheets.
        unread_chars: characters of documents inside the page that were too many.
    """

    found: Sequence[Found] = ()
    scripts: Sequence[str] = ()
    sheets: Sequence[str] = ()
    unread_chars: int = 0


NO_TEXTS = PageTexts()


def collect_texts(tree: Tree, source: str, *, sheets: Iterable[str] = ()) -> PageTexts:
    """Return every text of a page, whether it is shown or not.

    Args:
        tree: the page as it was parsed, with nothing removed.
        source: of the page, decoded.
        sheets: its external style sheets, as far as they are known.
    """
    documents = Documents()
    walk = walk_over(tree, documents, sheets=tuple(sheets))
    lost = [Found(line, "markup") for line in lost_lines(source, walk.texts)]
    return PageTexts(
        found=[*walk.found, *lost],
        scripts=[*walk.scripts, *documents.scripts],
        sheets=[*walk.sheets, *sheets, *documents.sheets],
        unread_chars=documents.unread_chars,
    )
