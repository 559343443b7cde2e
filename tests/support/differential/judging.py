"""What a reader sees of a protected text, and whether reading has it or reports that it lacks it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from support.differential.browser import ADDRESS, Screen
from support.differential.documents import HostilePage, declared_charset
from support.differential.texts import han_of

from crawler.extraction import ExtractedPage, PageContext, extract
from tracker.comparison import ComparedText, Comparison, Corpus, RestText, compare

MIN_RUN = 20  # characters of the protected text that a reader sees in one piece
_MIN_MATCH = 8
_SENTENCE_END = re.compile("[。！？：]")
_GRAM = 6
_MIN_SHARE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A page as a browser shows it and as it was read.

    Attributes:
        visible: the runs of the protected text that are on the screen.
        missing: the runs that are in neither text and that no reason of unread text explains.
        excused: the runs that are in neither text, where a reason of unread text explains it.
        extracted: how the page was read.
    """

    visible: list[str]
    missing: list[str]
    excused: list[str]
    extracted: ExtractedPage


def matching_runs(order: str, text: str) -> list[str]:
    """Return the stretches of at least eight characters of a text that follow each other in another one."""
    starts = {text[at : at + _MIN_MATCH]: at for at in range(len(text) - _MIN_MATCH, -1, -1)}
    runs, at = [], 0
    while at <= len(order) - _MIN_MATCH:
        start = starts.get(order[at : at + _MIN_MATCH])
        if start is None:
            at += 1
            continue
        length = _MIN_MATCH
        while at + length < len(order) and text[start + length : start + length + 1] == order[at + length]:
            length += 1
        runs.append(text[start : start + length])
        at += length
    return runs


def visible_runs(orders: Iterable[str], text: str) -> list[str]:
    """Return the runs of a text that some reading order of the screen shows."""
    found = {run for order in orders for run in matching_runs(order, text) if len(run) >= MIN_RUN}
    return sorted(found, key=text.find)


def _grams(text: str) -> set[str]:
    return {text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)}


def share_of(run: str, extracted: ExtractedPage, *, sentences: Sequence[str] = ()) -> float:
    """Return the share of a run's characters, six by six, that the article and the rest have, in [0, 1].

    Args:
        run: of Han characters.
        extracted: how the page was read.
        sentences: of the text that the run is of, Han characters only: what stands between two of them in
            another text is no loss.
    """
    haystacks = (han_of(extracted.text), han_of(extracted.rest))
    grams = _grams(run)
    if sentences:
        grams &= set().union(*map(_grams, sentences))
    return sum(any(gram in haystack for haystack in haystacks) for gram in grams) / max(len(grams), 1)


def compared(extracted: ExtractedPage, corpus: Corpus) -> Comparison:
    """Compare a page that was read with a corpus."""
    rest = (
        RestText(text=ComparedText(extracted.rest), pieces=extracted.rest_pieces) if extracted.rest else None
    )
    return compare(ComparedText(extracted.text), corpus, rest=rest)


def read_page(page: HostilePage) -> ExtractedPage:
    """Read a page as a crawl without a browser does."""
    content_type = page.response.content_type
    known = PageContext(content_type=content_type.split(";")[0].strip())
    return extract(page.response.body, url=ADDRESS, declared=declared_charset(content_type), context=known)


def _gaps(page: HostilePage, extracted: ExtractedPage) -> list[str]:
    """Return the texts of a page that reading lacks, be they visible or not, and that nothing explains."""
    pairs = zip(page.fragments, page.texts, strict=True)
    unexplained = [text for part, text in pairs if not (part.unread | page.unread) & extracted.unread.keys()]
    return [text for text in unexplained if share_of(han_of(text), extracted) < 1]


def missing_text(page: HostilePage, screen: Screen) -> tuple[list[str], ExtractedPage]:
    """Return the visible runs that reading lacks, and what it has.

    The screen is asked only about pages some of whose text is missing.
    """
    extracted = read_page(page)
    if not _gaps(page, extracted):
        return [], extracted
    return judged(page, screen, extracted).missing, extracted


def judged(page: HostilePage, screen: Screen, extracted: ExtractedPage | None = None) -> Judged:
    """Show a page and read it."""
    orders = screen.visible_orders(page.response)
    extracted = extracted or read_page(page)
    visible, missing, excused = [], [], []
    for fragment, text in zip(page.fragments, page.texts, strict=True):
        reasons = (fragment.unread | page.unread) & extracted.unread.keys()
        pieces = [han_of(sentence) for sentence in _SENTENCE_END.split(text)]
        for run in visible_runs(orders, han_of(text)):
            visible.append(run)
            if share_of(run, extracted, sentences=pieces) < _MIN_SHARE:
                (excused if reasons else missing).append(run)
    return Judged(visible=visible, missing=missing, excused=excused, extracted=extracted)
