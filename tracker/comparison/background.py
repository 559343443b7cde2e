"""Stretches that a page shares with background texts, including set phrases, and their list and sum."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from storage.records import FOUND, Background, Verdict, WorkKind
from tracker.alignment.align import aligned_stretch
from tracker.alignment.bounds import bounds_of_letters
from tracker.alignment.columns import columns_between
from tracker.alignment.flags import runs_of
from tracker.alignment.seeds import exact_runs
from tracker.alignment.text import ComparedText
from tracker.comparison.phrases import PhraseHolding
from tracker.judgement.alignments import PassageAlignment
from tracker.judgement.match import mask
from tracker.judgement.profiles import Profile
from tracker.judgement.verdict import Extent, judge

MAX_STRETCHES = 500  # maximum number of listed stretches per page, the longest first


def phrases_in(page: ComparedText, holdings: Iterable[PhraseHolding]) -> list[PassageAlignment]:
    """Return the phrases of a page that background texts contain, character by character.

    Args:
        page: the page.
        holdings: which passage contains which letters; works with an owner are skipped.
    """
    held: dict[int, list[PhraseHolding]] = {}
    for holding in holdings:
        if not holding.work.is_owned:
            held.setdefault(holding.passage.id, []).append(holding)
    return [_phrases_of(page, holdings_of_passage) for holdings_of_passage in held.values()]


def _phrases_of(page: ComparedText, holdings: Sequence[PhraseHolding]) -> PassageAlignment:
    """Return the phrases that one passage contains."""
    passage, shortest = (
        holdings[0].passage,
        min(last - first for first, last in (phrase_holding.letters for phrase_holding in holdings)),
    )
    text = ComparedText(passage.text)
    in_phrase = np.zeros(len(page.letters), dtype=bool)
    for holding in holdings:
        in_phrase[slice(*holding.letters)] = True
    first = min(holding.letters[0] for holding in holdings)
    last = max(holding.letters[1] for holding in holdings)
    aligned = []
    for run in exact_runs(page.seeds, text.codes, first=first, last=last):
        ours, theirs = slice(run.page, run.page + run.length), slice(run.passage, run.passage + run.length)
        for start, end in runs_of(page.folded[ours] == text.folded[theirs]):
            extent = run.page + start, run.page + end
            if end - start >= shortest and in_phrase[slice(*extent)].any():
                in_phrase[slice(*extent)] = False  # count the phrase once, even if the passage repeats it
                columns = columns_between(page, text, extent, (run.passage + start, run.passage + end))
                aligned.append(aligned_stretch(page, text, columns, bounds_of_letters(page, text, columns)))
    return PassageAlignment(holdings[0].work, passage, aligned, {})


def merged_background(
    background: Sequence[PassageAlignment], phrases: Sequence[PassageAlignment]
) -> list[PassageAlignment]:
    """Merge stretches and phrases from background texts; each passage appears once.

    Args:
        background: the stretches that alignment confirmed.
        phrases: set phrases; those that overlap a stretch of the same passage are dropped.
    """
    by_passage = {alignment.passage.id: alignment for alignment in background}
    for phrase in phrases:
        before = by_passage.setdefault(phrase.passage.id, replace(phrase, aligned=()))
        spans = [aligned.span for aligned in before.aligned]
        new = [
            aligned
            for aligned in phrase.aligned
            if not any(
                aligned.span.page_start < span.page_end and span.page_start < aligned.span.page_end
                for span in spans
            )
        ]
        every = sorted((*before.aligned, *new), key=lambda aligned: aligned.span.page_start)
        by_passage[phrase.passage.id] = replace(before, aligned=every)
    return [alignment for alignment in by_passage.values() if alignment.aligned]


def background_verdict(
    page: ComparedText, background: Sequence[PassageAlignment], profiles: Mapping[WorkKind, Profile]
) -> Verdict:
    """Return ``common`` if more than a phrase of a page is in background texts, else ``clear``.

    Args:
        page: the page.
        background: the stretches that it shares with them; not empty.
        profiles: by the kind of work.
    """
    covered = int(mask((a.span for alignment in background for a in alignment.aligned), len(page.text)).sum())
    extent = Extent(page_chars=len(page.text), copied_chars=covered, taken_chars=covered)
    kinds = {alignment.work.kind for alignment in background}
    is_phrase = all(judge(extent, profiles[kind]) not in FOUND for kind in kinds)
    return "clear" if is_phrase else "common"


def listed_background(prior: Iterable[PassageAlignment]) -> tuple[Background, ...]:
    """Return the background texts of a page; the text that covers most of the page is first.

    Args:
        prior: alignments with background texts.
    """
    spans = [(aligned.span, alignment) for alignment in prior for aligned in alignment.aligned]
    spans.sort(key=lambda pair: (pair[0].page_start - pair[0].page_end, pair[0].page_start))
    longest: dict[int, list[int]] = {}
    for number, (_, alignment) in enumerate(spans[:MAX_STRETCHES]):
        longest.setdefault(alignment.passage.id, []).append(number)
    listed = [
        Background(
            work_id=spans[numbers[0]][1].work.id,
            work=spans[numbers[0]][1].work.title,
            passage=spans[numbers[0]][1].passage.title,
            spans=tuple(sorted((spans[n][0] for n in numbers), key=lambda span: span.page_start)),
        )
        for numbers in longest.values()
    ]
    return tuple(sorted(listed, key=lambda alignment: (-alignment.chars, alignment.work_id)))
