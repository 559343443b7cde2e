"""First stage of a comparison: put texts into reading order and look up the passages that may be in them.

An ordinary page is read as written. If :func:`fingerprint.text.orders.reading_orders` finds more natural
orders, each is looked up, and the one whose candidates have most hits is used; with equal hits, the written
order is kept. Later stages see one text only, so nothing is counted twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fingerprint.text.disguises import REVERSED
from fingerprint.text.orders import Order, reading_orders
from storage.records import Homophone, Span, SuppressedSpan
from tracker.alignment.text import ComparedText
from tracker.comparison.changes import has_latin_near_changes, sources_in_order
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import (
    LATIN_LETTERS,
    Candidates,
    candidates_of,
    look_up,
    look_up_changed,
    look_up_letters,
)
from tracker.comparison.rest import RestText
from tracker.judgement.match import PassageMatch


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page in reading order.

    Attributes:
        text: in reading order.
        order: maps the text to the page; None if the page is read as written.
        candidates: the passages that may be in it.
    """

    text: ComparedText
    order: Order | None
    candidates: Candidates

    def places(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return stretches at their offsets on the page, in page order."""
        return tuple(spans) if self.order is None else _on_page(spans, self.order)

    def on_page(self, match: PassageMatch) -> PassageMatch:
        """Return a match with its stretches at their offsets on the page, and the disguises of its order."""
        if self.order is None:
            return match
        order = self.order
        spans = _on_page(match.spans, order)
        reviewed = replace(
            match.reviewed,
            counted=_on_page(match.reviewed.counted, order),
            suppressed=tuple(_moved(suppressed, order) for suppressed in match.reviewed.suppressed),
        )
        disguises = {name for span in spans for name in span.disguises}
        return replace(
            match,
            spans=spans,
            common=_on_page(match.common, order),
            homophones=_pairs_on_page(match.homophones, order),
            reviewed=reviewed,
            disguises=tuple(sorted(disguises | set(match.disguises))),
        )


def read_texts(
    page: ComparedText,
    rest: RestText | None,
    corpus: Corpus,
    *,
    candidates: Candidates | None = None,
) -> tuple[ReadPage, ReadPage | None]:
    """Return a page's article and rest in reading order; the second is None without a rest.

    Args:
        page: the article as written.
        rest: the page's other text.
        corpus: the corpus to search.
        candidates: see :func:`read_page`.
    """
    if rest is None or not rest.text.text:
        return read_page(page, corpus, candidates=candidates), None
    if candidates is None and rest.candidates is None:
        candidates, of_rest = look_up([page, rest.text], corpus)
        rest = replace(rest, candidates=of_rest)
    return read_page(page, corpus, candidates=candidates), read_rest(rest, corpus)


def read_rest(rest: RestText, corpus: Corpus) -> ReadPage:
    """Return the rest of a page in reading order; a text shorter than a shingle has no candidates."""
    if len(rest.text.letters) < corpus.params.shingle.size:
        return ReadPage(rest.text, None, Candidates(()))
    return read_page(rest.text, corpus, candidates=rest.candidates, is_rest=True)


def read_page(
    page: ComparedText, corpus: Corpus, *, candidates: Candidates | None = None, is_rest: bool = False
) -> ReadPage:
    """Return a page in reading order, with the passages that may be in it.

    Args:
        page: the text as written.
        corpus: the corpus to search.
        candidates: from :func:`tracker.comparison.matching.look_up` with the Han letters as written; None:
            look
            them up now.
        is_rest: the text is the rest of a page, see :func:`tracker.comparison.matching.candidates_of`.
    """
    by_han = candidates or look_up_letters(page.han, corpus)
    best = ReadPage(page, None, candidates_of(page, corpus, candidates=by_han, is_rest=is_rest))
    for order in reading_orders(page.text, page.han):
        text = ComparedText(order.text)
        sources = sources_in_order(text.han, order, page.han)
        ordered = look_up_changed(text.han, sources, by_han, corpus)
        if ordered.ranked or has_latin_near_changes(order, LATIN_LETTERS if is_rest else 1):
            ordered = candidates_of(text, corpus, candidates=ordered, is_rest=is_rest)
        read = ReadPage(text, order, ordered)
        if read.candidates.hits > best.candidates.hits:
            best = read
    return best


def _on_page(spans: Iterable[Span], order: Order) -> tuple[Span, ...]:
    """Return spans at their offsets on the page, in page order."""
    return tuple(sorted((_placed(span, order) for span in spans), key=lambda span: span.page_start))


def _pairs_on_page(pairs: Iterable[Homophone], order: Order) -> tuple[Homophone, ...]:
    """Return pairs of characters sorted by the page's offset."""
    placed = (replace(pair, page=order.written_range(pair.page, pair.page + 1)[0]) for pair in pairs)
    return tuple(sorted(placed, key=lambda pair: pair.page))


def _placed(span: Span, order: Order) -> Span:
    start, end = order.written_range(span.page_start, span.page_end)
    names = order.disguises(span.page_start, span.page_end)
    first, last = order.starts[span.page_start], order.starts[span.page_end - 1]
    backwards = REVERSED in names and bool(first > last)
    return replace(
        span, page_start=start, page_end=end, disguises=(*span.disguises, *names), backwards=backwards
    )


def _moved(suppressed: SuppressedSpan, order: Order) -> SuppressedSpan:
    return replace(suppressed, span=_placed(suppressed.span, order))
