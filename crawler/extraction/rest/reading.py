"""Collection of every text of a page, before extraction removes anything. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.extraction.marked import MarkedElements
from crawler.extraction.parsing import ParsedPage
from crawler.extraction.rest.chinese import chinese_of, count_in_units, keys_of, wide_units
from crawler.extraction.rest.containers import count_fillers, outer_scripts
from crawler.extraction.rest.documents import Documents, walk_over
from crawler.extraction.rest.frames import count_frames
from crawler.extraction.rest.images import count_images
from crawler.extraction.rest.naturalness import unnatural_lines
from crawler.extraction.rest.order import OrderedTexts, ordered_texts
from crawler.extraction.rest.private_use import private_chars
from crawler.extraction.rest.rendered import BrowserMarks, add_missing_lines, new_lines, pop_marks
from crawler.extraction.rest.sweep import comments_of, lost_lines
from crawler.extraction.rest.text_lines import TextLine

_READS_COMMENTS = re.compile(r"\.data\b|nodeValue|SHOW_COMMENT|nodeType|createComment")
_TURNS = "\u202e"
_MIN_PROSE = 100  # minimum characters of sentences on a page that shows its text without scripts
_MIN_LINE = 12  # minimum characters of a line that counts as a sentence


@dataclass(frozen=True, slots=True)
class PageTexts:
    """Every text of a page.

    Attributes:
        lines: lines with Chinese, in document order; lines that only the source has are last.
        scripts: contents of its scripts that are programs.
        sheets: contents of its style sheets.
        unread_chars: characters of inner documents beyond the bounds.
        keys: the Chinese characters of each line.
        unordered: Chinese characters of lines in many pieces whose order is unknown.
        unwritten: Chinese characters of unnatural lines in one piece.
        frames: number of frames that show another document.
        images: number of pictures that may be text, on a page with hardly a sentence.
        outer_scripts: number of external scripts on such a page.
        fillers: number of scripts that may fill an empty text container.
        private_chars: characters that only a font shows.
        marks: the browser's marks; None if no browser showed the page.
        marked: its elements as they were read.
        may_reverse: some text contains a mark that reverses the text after it.
    """

    lines: Sequence[TextLine] = ()
    keys: Sequence[str] = ()
    scripts: Sequence[str] = ()
    sheets: Sequence[str] = ()
    unread_chars: int = 0
    unordered: Sequence[str] = ()
    unwritten: Sequence[str] = ()
    frames: int = 0
    images: int = 0
    outer_scripts: int = 0
    fillers: int = 0
    private_chars: int = 0
    marks: BrowserMarks | None = None
    marked: MarkedElements | None = None
    may_reverse: bool = False


NO_TEXTS = PageTexts()


def collect_texts(
    page: ParsedPage,
    source: str,
    *,
    sheets: Iterable[str] = (),
    other_lines: Iterable[str] = (),
    is_rendered: bool = False,
) -> PageTexts:
    """Return every text of a page, shown or not.

    Args:
        page: as parsed, with nothing removed. A browser's marks are removed from it, and text that only
            the browser shows is added.
        source: source of the page, decoded.
        sheets: its known external style sheets.
        other_lines: further lines, from other decodings of the page's bytes.
        is_rendered: a browser created the page.
    """
    marks = pop_marks(page.tree) if is_rendered else None
    documents = Documents()
    walk = walk_over(page, documents, sheets=tuple(sheets))
    lines, units = walk.lines, wide_units(source)
    if marks is None:
        lost = lost_lines(source, count_in_units(units), walk.texts)
        lines += [TextLine(line, "markup") for line in lost]
        if any(map(_READS_COMMENTS.search, walk.scripts)):
            for comment in comments_of(source):
                lines += documents.read_markup(comment, None)
    else:
        missing = new_lines(marks.lines, lines, marks.hidden)
        add_missing_lines(page.tree, marks.lines, missing)
        lines += missing
    lines += (TextLine(line, "markup") for line in other_lines)
    keys = keys_of([line.text for line in lines])
    all_sheets = [*walk.sheets, *sheets, *documents.sheets]
    ordered = ordered_texts(lines, keys, all_sheets) if marks is None else _shown_order(marks)
    lines += ordered.lines
    keys += [chinese_of(line.text) for line in ordered.lines]
    has_little = has_little_text(lines, keys)
    return PageTexts(
        lines=lines,
        keys=keys,
        scripts=[*walk.scripts, *documents.scripts],
        sheets=all_sheets,
        unread_chars=documents.unread_chars,
        unordered=ordered.unread,
        unwritten=ordered.whole,
        frames=count_frames(walk.marked, all_sheets),
        images=count_images(walk.marked) if has_little else 0,
        outer_scripts=len(outer_scripts(walk.marked)) if has_little else 0,
        fillers=0 if has_little or is_rendered else count_fillers(walk.marked),
        private_chars=private_chars(
            [(source, units), *((inner, wide_units(inner)) for inner in documents.sources)]
        ),
        marks=marks,
        marked=walk.marked,
        may_reverse=any(_TURNS in text for text in walk.texts),
    )


def has_little_text(lines: Sequence[TextLine], keys: Sequence[str]) -> bool:
    """Return whether a page has hardly a sentence, shown or in its data."""
    chars = 0
    for line, key in zip(lines, keys, strict=True):
        chars += len(key) if len(key) >= _MIN_LINE and line.source != "markup" else 0
        if chars >= _MIN_PROSE:
            return False
    return True


def _shown_order(marks: BrowserMarks) -> OrderedTexts:
    """Return the lines that are unnatural although a browser ordered them."""
    keys = [chinese_of(line.text) for line in marks.lines]
    return OrderedTexts(whole=[keys[number] for number in unnatural_lines(keys)])
