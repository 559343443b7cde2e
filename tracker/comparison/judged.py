"""Third stage of a comparison: verdicts on the stretches of an article or of a rest.

Text outside the article is judged more cautiously. Lists contain teasers of a few lines for each work, so
every passage counts alone: passages or works are never judged together, and a few characters of a passage are
a quotation at most (:func:`tracker.judgement.verdict.milder_outside`). Shares of the page are computed from
article and rest together. Common matches are not listed. Dismissed matches that contain only phrases are not
listed either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from storage.records import (
    COPIED,
    COUNTED,
    Background,
    Decision,
    RestPiece,
    Verdict,
    WorkKind,
    gravest,
    utc_now,
)
from tracker.comparison.aligning import Alignments
from tracker.comparison.background import background_verdict, listed_background
from tracker.comparison.charging import charge
from tracker.comparison.corpus import Corpus
from tracker.comparison.rest import found_in
from tracker.judgement.alignments import PassageAlignment, Sharing
from tracker.judgement.judging import Judge
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch, listed_matches, mask
from tracker.judgement.parts import PartVerdicts
from tracker.judgement.profiles import Profile
from tracker.judgement.verdict import milder_outside

_RELIABLE_CHARS = 300  # used if the page has no match whose profile sets a length


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on one text of a page.

    Attributes:
        verdict: on the text; ``clear`` if it shares nothing that counts.
        matches: with their stretches in page order.
        copied_chars: characters that the counting stretches cover.
        is_short: the text has too few characters for a reliable verdict.
        background: stretches shared with background texts, most first.
        decisions: the decisions on its passages, by SHA-256 of the passage.
    """

    verdict: Verdict = "clear"
    matches: tuple[PassageMatch, ...] = ()
    copied_chars: int = 0
    is_short: bool = False
    background: tuple[Background, ...] = ()
    decisions: Mapping[str, Sequence[Decision]] = field(default_factory=dict)


def judge_article(aligned: Alignments, corpus: Corpus, facts: Facts) -> Judgement:
    """Judge a page's article: the passages of a work, and the works, count together."""
    read, profiles = aligned.read, corpus.profiles
    text = read.text.text
    judge = _judge(text, aligned, corpus, facts)
    by_work: dict[int, list[PassageMatch]] = {}
    for match in map(judge.match, aligned.alignments):
        by_work.setdefault(match.work.book_id, []).append(match)
    by_work = {work_id: judge.passages(matches) for work_id, matches in by_work.items()}
    verdicts = {work_id: judge.work(matches) for work_id, matches in by_work.items()}
    for work_id in [work_id for work_id, matches in by_work.items() if _is_moot(matches, verdicts[work_id])]:
        del by_work[work_id], verdicts[work_id]
    verdict = judge.page(by_work, verdicts)
    best = _best_background(aligned, profiles)
    if best:
        verdict = gravest([verdict, background_verdict(read.text, best, profiles)])
    listed = listed_matches([match for matches in by_work.values() for match in matches], verdicts)
    counted = (span for match in listed if match.counts for span in match.spans)
    reliable = max((profiles[match.work.kind].reliable_chars for match in listed), default=_RELIABLE_CHARS)
    return Judgement(
        verdict=verdict,
        matches=tuple(read.on_page(match) for match in listed),
        copied_chars=int(mask(counted, len(text)).sum()),
        is_short=len(text) < reliable,
        background=_placed(best, aligned),
        decisions=judge.decisions,
    )


def judge_rest(
    aligned: Alignments, corpus: Corpus, facts: Facts, *, article: str, pieces: Sequence[RestPiece]
) -> Judgement:
    """Judge a page's rest: every passage alone.

    Args:
        aligned: stretches that the rest shares with passages.
        corpus: the corpus that it was compared with.
        facts: further facts about the page.
        article: the page's other text, which may name the author too.
        pieces: of the rest; each match lists the pieces that it is in.
    """
    read = aligned.read
    chars = len(read.text.text)
    facts = replace(facts, bylines=(*facts.bylines, article))
    judge = _judge(read.text.text, aligned, corpus, facts, other_chars=len(article))
    judged = (_milder(judge.match(alignment)) for alignment in aligned.alignments)
    listed = (read.on_page(match) for match in judged if match.verdict in COUNTED)
    listed = (match for match in listed if not _is_moot([match], match.verdict))
    matches = [replace(match, part="rest", found_in=found_in(match.spans, pieces)) for match in listed]
    background = _placed(_best_background(aligned, corpus.profiles), aligned)
    return Judgement(
        verdict=PartVerdicts.of(match for match in matches if match.counts).rest,
        matches=tuple(matches),
        is_short=chars < _RELIABLE_CHARS,
        background=tuple(replace(background_match, part="rest") for background_match in background),
        decisions=judge.decisions,
    )


def _judge(text: str, aligned: Alignments, corpus: Corpus, facts: Facts, *, other_chars: int = 0) -> Judge:
    decisions: Mapping[str, Sequence[Decision]] = {}
    if aligned.alignments and facts.site and corpus.decisions is not None:
        shas = (alignment.passage.sha256 for alignment in aligned.alignments)
        decisions = corpus.decisions.of_passages(shas, site=facts.site)
    return Judge(
        text=text,
        facts=facts,
        profiles=corpus.profiles,
        sharing=aligned.sharing,
        decisions=decisions,
        now=utc_now(),
        other_chars=other_chars,
    )


def _is_moot(matches: Sequence[PassageMatch], verdict: Verdict) -> bool:
    """Return whether the page also contains a work, but too little of it counts as its words."""
    is_dismissed = any(match.reviewed.review == "dismissed" for match in matches)
    return verdict not in COPIED and not is_dismissed and all(match.also_contained for match in matches)


def _milder(match: PassageMatch) -> PassageMatch:
    """Return a match in the rest of a page with a milder verdict if it has few characters."""
    return replace(match, verdict=milder_outside(match.verdict, match.copied_chars))


def _best_background(aligned: Alignments, profiles: Mapping[WorkKind, Profile]) -> Sequence[PassageAlignment]:
    """Return the stretches shared with background texts; each stretch belongs to one of these texts."""
    if not aligned.background:
        return ()
    page = aligned.read.text
    nothing_common = Sharing(np.zeros(len(page.letters), dtype=np.int32))
    return charge(page, aligned.background, nothing_common, profiles)


def _placed(best: Sequence[PassageAlignment], aligned: Alignments) -> tuple[Background, ...]:
    """Return background texts with their stretches in page order."""
    return tuple(replace(match, spans=aligned.read.places(match.spans)) for match in listed_background(best))
