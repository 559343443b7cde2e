"""Collects every text of a page, before extraction removes anything from it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.extraction.parsing import Tree
from crawler.extraction.rest.chinese import chinese_of
from crawler.extraction.rest.documents import Documents, walk_over
from crawler.extraction.rest.found import Found
from crawler.extraction.rest.frames import count_frames
from crawler.extraction.rest.images import count_images
from crawler.extraction.rest.order import ordered_texts
from crawler.extraction.rest.sweep import lost_lines


@dataclass(frozen=True, slots=True)
class PageTexts:
    """Every text of a page.

    Attributes:
        found: lines with Chinese, in document order; last what only the source has.
        scripts: contents of its scripts that are programs.
        sheets: contents of its style sheets.
        unread_chars: characters of documents inside the page that were too many.
        keys: the Chinese characters of each line that was found.
        unordered: Chinese characters of lines whose order cannot be told.
        frames: number of frames that show another document.
        images: number of pictures that may be text.
        outer_scripts: number of scripts that are not on the page.
    """

    found: Sequence[Found] = ()
    keys: Sequence[str] = ()
    scripts: Sequence[str] = ()
    sheets: Sequence[str] = ()
    unread_chars: int = 0
    unordered: Sequence[str] = ()
    frames: int = 0
    images: int = 0
    outer_scripts: int = 0


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
    found = [*walk.found, *(Found(line, "markup") for line in lost_lines(source, walk.texts))]
    keys = [chinese_of(line.text) for line in found]
    all_sheets = [*walk.sheets, *sheets, *documents.sheets]
    ordered = ordered_texts(found, keys, all_sheets)
    return PageTexts(
        found=[*found, *ordered.found],
        keys=[*keys, *(chinese_of(line.text) for line in ordered.found)],
        scripts=[*walk.scripts, *documents.scripts],
        sheets=all_sheets,
        unread_chars=documents.unread_chars,
        unordered=ordered.unread,
        frames=count_frames(tree, all_sheets),
        images=count_images(tree),
        outer_scripts=sum(1 for script in tree.iter("script") if script.get("src")),
    )
