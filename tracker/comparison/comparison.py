"""Comparing one text with the mother corpus: fingerprints, candidates, alignment, charging, verdict.

A page that stands in another order than it is read in is compared as it is read; its stretches are told where
they stand (:mod:`tracker.comparison.reading`).

The same path serves stored pages (Redis and MongoDB) and ``pindna check`` (either, or a folder in memory).
Passages are fetched ``_BATCH`` at a time, so that a page with many candidates needs no more memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from storage.records import VERDICTS, Background, Decision, Verdict, WorkKind, utc_now
from tracker.alignment.align import MAX_SPANS, align
from tracker.alignment.budget import budget_of
from tracker.alignment.text import ComparedText
from tracker.comparison.background import background_verdict, joined, listed_background, phrases_in
from tracker.comparison.charging import charge
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import Candidate, Candidates
from tracker.comparison.passages import MotherPassage
from tracker.comparison.phrases import doubtful_stretches, holders
from tracker.comparison.prior_texts import set_apart
from tracker.comparison.reading import ReadPage, read_page
from tracker.comparison.sharing import depth_of, holdings_of, sharing_of
from tracker.judgement.alignments import PassageAlignment, Sharing
from tracker.judgement.judging import Judge
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch, listed_matches, mask
from tracker.judgement.profiles import Profile
from tracker.judgement.verdict import gravest

_BATCH = 50  # passages held at once, of at most about 50,000 characters each
_RELIABLE_CHARS = 300  # where no profile had a say
_REPETITIONS = 20_000  # repeated stretches of a page, over all its passages
_MAX_ORDINARY_STRETCHES = 500  # no more stretches of a passage than this are ordinary


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A page against the whole mother corpus.

    Attributes:
        chars: characters of the page.
        verdict: the gravest of the works' verdicts, where a work's passages count together; a graver one
            where all that is copied from several works amounts to it; ``common`` where no work has any and
            more than a phrase of the page stands in background texts.
        coverage: share of the page covered by stretches that count.
        matches: by copied characters, most first.
        dropped: candidates beyond the limit that were not aligned, or not in all their pieces.
        capped: looked-up hashes with more postings than the index returns.
        background: what of the page stands in background texts, most first.
        taking_part: ids of the passages that had a say in all this: the page shares a stretch with them, or
            they hold one of its set phrases.
        decisions: that were known of its passages, by their SHA-256.
    """

    chars: int
    verdict: Verdict
    coverage: float
    copied_chars: int
    low_confidence: bool
    matches: tuple[PassageMatch, ...]
    dropped: int
    capped: int
    background: tuple[Background, ...] = ()
    taking_part: frozenset[int] = frozenset()
    decisions: Mapping[str, Sequence[Decision]] = field(default_factory=dict)

    @property
    def is_joint(self) -> bool:
        """Whether no match alone has so grave a verdict: what is copied was judged together."""
        alone = gravest(match.verdict for match in self.matches if match.counts or match.verdict == "common")
        if self.verdict == "common":  # of background texts
            return False
        return VERDICTS.index(self.verdict) < VERDICTS.index(alone)


def compare(
    page: ComparedText,
    corpus: Corpus,
    *,
    site: str = "",
    facts: Facts | None = None,
    candidates: Candidates | None = None,
) -> Comparison:
    """Compare a page with the mother corpus.

    Args:
        page: the page's text.
        corpus: what to compare with.
        site: of the page, for licences and decisions.
        facts: more that is known of the page; goes over ``site``.
        candidates: those that the page's Han letters led to, from :func:`look_up`; None: they are looked up
            now.

    Raises:
        ServiceDown: MongoDB or Redis does not answer.
    """
    facts = facts or Facts(site=site)
    read = read_page(page, corpus, candidates=candidates)
    confirmed, dropped = _align_candidates(read.text, read.candidates, corpus)
    background = [alignment for alignment in confirmed if not alignment.work.is_owned]
    owned = set_apart(read.text, [own for own in confirmed if own.work.is_owned], background)
    sharing = sharing_of(read.text, owned, corpus.profiles)
    alignments = charge(read.text, owned, sharing, corpus.profiles)
    doubtful = doubtful_stretches(alignments, corpus.profiles, len(read.text.letters))
    if elsewhere := holders(read.text, doubtful, corpus):
        depth = depth_of(read.text, [*holdings_of(owned), *elsewhere], corpus.profiles)
        sharing = replace(sharing, depth=depth)
        if phrases := phrases_in(read.text, elsewhere):
            alignments = set_apart(read.text, alignments, phrases)
            background = joined(background, phrases)
    judge = _judge(read.text.text, alignments, sharing, corpus, facts)
    matches = [judge.match(alignment) for alignment in alignments]
    by_work: dict[int, list[PassageMatch]] = {}
    for match in matches:
        by_work.setdefault(match.work.book_id, []).append(match)
    by_work = {work_id: judge.passages(own) for work_id, own in by_work.items()}
    matches = [match for own in by_work.values() for match in own]
    verdicts = {work_id: judge.work(own) for work_id, own in by_work.items()}
    verdict = judge.page(by_work, verdicts)
    listed = listed_matches(matches, verdicts)
    taking_part = {own.passage.id for own in confirmed} | {own.passage.id for own in elsewhere}
    conclusion = replace(
        _conclude(page, read, listed, verdict, corpus.profiles, dropped=dropped),
        taking_part=frozenset(taking_part),
        decisions=judge.decisions,
    )
    return _with_background(conclusion, read, background, corpus.profiles) if background else conclusion


def _align_candidates(
    page: ComparedText, candidates: Candidates, corpus: Corpus
) -> tuple[list[PassageAlignment], int]:
    """Align the page with each candidate's text; a passage that was removed since is skipped.

    Returns:
        What alignment confirmed, and how many candidates were not aligned, or not in all their pieces.
    """
    found, dropped = list[PassageAlignment](), candidates.dropped
    room, budget = _REPETITIONS, budget_of(len(page.letters))
    for candidate, held in _passages_of(candidates, corpus):
        left_out = budget.left_out
        aligned = align(
            page,
            held.text,
            first=candidate.first,
            last=candidate.last,
            max_spans=min(room, MAX_SPANS),
            budget=budget,
        )
        dropped += budget.left_out > left_out
        if aligned:
            room -= len(aligned) if len(aligned) > _MAX_ORDINARY_STRETCHES else 0
            found.append(PassageAlignment(held.work, held.passage, aligned, candidate.anchors))
    return found, dropped


def _passages_of(candidates: Candidates, corpus: Corpus) -> Iterator[tuple[Candidate, MotherPassage]]:
    """Yield the candidates with their texts, but those of passages that were removed or replaced since."""
    for start in range(0, len(candidates.found), _BATCH):
        batch = candidates.found[start : start + _BATCH]
        passages = corpus.passages.read(candidate.passage_id for candidate in batch)
        for candidate in batch:
            if (held := passages.get(candidate.passage_id)) is not None:
                yield candidate, held


def _judge(
    text: str,
    alignments: Sequence[PassageAlignment],
    sharing: Sharing,
    corpus: Corpus,
    facts: Facts,
) -> Judge:
    known: Mapping[str, Sequence[Decision]] = {}
    if alignments and facts.site and corpus.decisions is not None:
        known = corpus.decisions.of_passages(
            (alignment.passage.sha256 for alignment in alignments), site=facts.site
        )
    return Judge(
        text=text,
        facts=facts,
        profiles=corpus.profiles,
        sharing=sharing,
        decisions=known,
        now=utc_now(),
    )


def _with_background(
    conclusion: Comparison,
    read: ReadPage,
    background: Sequence[PassageAlignment],
    profiles: Mapping[WorkKind, Profile],
) -> Comparison:
    """Return what is told of a page with what it shares with background texts, each stretch with one text."""
    nothing_common = Sharing(np.zeros(len(read.text.letters), dtype=np.int32))
    best = charge(read.text, background, nothing_common, profiles)
    listed = listed_background(best)
    return replace(
        conclusion,
        verdict=gravest([conclusion.verdict, background_verdict(read.text, best, profiles)]),
        background=tuple(replace(own, spans=read.places(own.spans)) for own in listed),
    )


def _conclude(
    page: ComparedText,
    read: ReadPage,
    matches: Sequence[PassageMatch],
    verdict: Verdict,
    profiles: Mapping[WorkKind, Profile],
    *,
    dropped: int,
) -> Comparison:
    """Return what is told of the page as a whole."""
    text = read.text.text
    counted = (match for match in matches if match.counts)
    covered = int(mask((span for match in counted for span in match.spans), len(text)).sum())
    reliable = max((profiles[match.work.kind].reliable_chars for match in matches), default=_RELIABLE_CHARS)
    return Comparison(
        chars=len(page.text),
        verdict=verdict,
        coverage=round(covered / len(text), 4) if text else 0.0,
        copied_chars=covered,
        low_confidence=len(text) < reliable,
        matches=tuple(read.on_page(match) for match in matches),
        dropped=dropped,
        capped=read.candidates.capped,
    )
