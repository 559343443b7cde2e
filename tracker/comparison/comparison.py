"""Comparing one page with the mother corpus: fingerprints, candidates, alignment, charging, verdict.

A page that stands in another order than it is read in is compared as it is read; its stretches are told where
they stand (:mod:`tracker.comparison.reading`). Its rest is compared by itself, after the article
(:mod:`tracker.comparison.rest`).

The same path serves stored pages (Redis and MongoDB) and ``pindna check`` (either, or a folder in memory).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from storage.records import VERDICTS, Background, Decision, Verdict, WorkKind, utc_now
from tracker.alignment.text import ComparedText
from tracker.comparison.background import background_verdict, listed_background
from tracker.comparison.charging import charge
from tracker.comparison.confirming import Confirmed, confirm
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import Candidates, look_up
from tracker.comparison.reading import ReadPage, read_page
from tracker.comparison.rest import MIN_LETTERS, RestText, judge_rest, read_rest
from tracker.judgement.alignments import PassageAlignment, Sharing
from tracker.judgement.judging import Judge
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch, listed_matches, mask
from tracker.judgement.parts import PartVerdicts
from tracker.judgement.profiles import Profile
from tracker.judgement.verdict import gravest

_RELIABLE_CHARS = 300  # where no profile had a say


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A page against the whole mother corpus.

    Attributes:
        chars: characters of the article.
        verdict: the gravest of the works' verdicts, where a work's passages count together; a graver one
            where all that is copied from several works amounts to it, or where the rest has a graver one;
            ``common`` where no work has any and more than a phrase of the article is in background texts.
        coverage: share of the article covered by stretches that count.
        copied_chars: characters of the article that they cover.
        matches: of article and rest, by copied characters, most first.
        dropped: candidates beyond the limit that were not aligned, or not in all their pieces.
        capped: looked-up hashes with more postings than the index returns.
        background: what the page shares with background texts, most first, the article's before the rest's.
        rest_verdict: the gravest verdict on a match in the rest; ``clear`` without any.
        rest_chars: characters of the rest that was compared.
        is_doubtful: the page has its verdict from the rest alone, so a person must look.
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
    rest_verdict: Verdict = "clear"
    rest_chars: int = 0
    is_doubtful: bool = False
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
    rest: RestText | None = None,
) -> Comparison:
    """Compare a page with the mother corpus.

    Args:
        page: the text of the page's article; it may be empty.
        corpus: what to compare with.
        site: of the page, for licences and decisions.
        facts: more that is known of the page; goes over ``site``.
        candidates: those that the article's Han letters led to, from :func:`look_up`; None: they are looked
            up now.
        rest: the page's other text; None: there is none.

    Raises:
        ServiceDown: MongoDB or Redis does not answer.
    """
    facts = facts or Facts(site=site)
    if rest is not None and candidates is None and rest.candidates is None:
        candidates, of_rest = look_up([page, rest.text], corpus)
        rest = replace(rest, candidates=of_rest)
    confirmed = confirm(read_page(page, corpus, candidates=candidates), corpus)
    conclusion = _article(page, confirmed, corpus, facts)
    if rest is None or not rest.text.text:
        return conclusion
    if len(rest.text.letters) < corpus.params.shingle.size:  # no passage is found by so few
        return _with_chars(conclusion, page, rest, capped=0, dropped=0)
    read = read_rest(rest, corpus)
    if not read.candidates.found:
        return _with_chars(conclusion, page, rest, capped=read.candidates.capped, dropped=0)
    found = confirm(read, corpus, reported=confirmed.alignments, min_letters=MIN_LETTERS)
    return _with_rest(conclusion, found, corpus, facts, page=page, rest=rest)


def _article(page: ComparedText, confirmed: Confirmed, corpus: Corpus, facts: Facts) -> Comparison:
    """Return what a page's article comes to."""
    read = confirmed.read
    judge = _judge(read.text.text, confirmed, corpus, facts)
    matches = [judge.match(alignment) for alignment in confirmed.alignments]
    by_work: dict[int, list[PassageMatch]] = {}
    for match in matches:
        by_work.setdefault(match.work.book_id, []).append(match)
    by_work = {work_id: judge.passages(own) for work_id, own in by_work.items()}
    matches = [match for own in by_work.values() for match in own]
    verdicts = {work_id: judge.work(own) for work_id, own in by_work.items()}
    verdict = judge.page(by_work, verdicts)
    listed = listed_matches(matches, verdicts)
    conclusion = replace(
        _conclude(page, read, listed, verdict, corpus.profiles, dropped=confirmed.dropped),
        taking_part=confirmed.taking_part,
        decisions=judge.decisions,
    )
    if not confirmed.background:
        return conclusion
    best = _best_background(confirmed, corpus.profiles)
    verdict = gravest([conclusion.verdict, background_verdict(read.text, best, corpus.profiles)])
    return replace(conclusion, verdict=verdict, background=_placed(listed_background(best), read))


def _with_chars(
    conclusion: Comparison, page: ComparedText, rest: RestText, *, capped: int, dropped: int
) -> Comparison:
    """Return what an article comes to, with the size of the rest, and what of that was not compared."""
    chars = len(rest.text.text)
    return replace(
        conclusion,
        rest_chars=chars,
        low_confidence=chars < _RELIABLE_CHARS if not page.text else conclusion.low_confidence,
        capped=conclusion.capped + capped,
        dropped=conclusion.dropped + dropped,
    )


def _with_rest(
    conclusion: Comparison,
    confirmed: Confirmed,
    corpus: Corpus,
    facts: Facts,
    *,
    page: ComparedText,
    rest: RestText,
) -> Comparison:
    """Return what article and rest come to: the page has the graver verdict."""
    read = confirmed.read
    bylines = (*facts.bylines, page.text)
    judge = _judge(
        read.text.text,
        confirmed,
        corpus,
        replace(facts, bylines=bylines),
        other_chars=len(page.text),
    )
    matches = judge_rest(judge, confirmed.alignments, read, rest.pieces)
    rest_verdict = PartVerdicts.of(match for match in matches if match.counts).rest
    verdicts = PartVerdicts(conclusion.verdict, rest_verdict)
    background: tuple[Background, ...] = ()
    if confirmed.background:
        listed = _placed(listed_background(_best_background(confirmed, corpus.profiles)), read)
        background = tuple(replace(own, part="rest") for own in listed)
    whole = _with_chars(conclusion, page, rest, capped=read.candidates.capped, dropped=confirmed.dropped)
    return replace(
        whole,
        verdict=verdicts.page,
        rest_verdict=verdicts.rest,
        is_doubtful=verdicts.is_doubtful,
        matches=tuple(sorted((*conclusion.matches, *matches), key=_most_copied)),
        background=(*conclusion.background, *background),
        taking_part=conclusion.taking_part | confirmed.taking_part,
        decisions={**conclusion.decisions, **judge.decisions},
    )


def _most_copied(match: PassageMatch) -> tuple[int, int, str]:
    return -match.copied_chars, match.passage.id, match.part


def _judge(text: str, confirmed: Confirmed, corpus: Corpus, facts: Facts, *, other_chars: int = 0) -> Judge:
    known: Mapping[str, Sequence[Decision]] = {}
    if confirmed.alignments and facts.site and corpus.decisions is not None:
        shas = (alignment.passage.sha256 for alignment in confirmed.alignments)
        known = corpus.decisions.of_passages(shas, site=facts.site)
    return Judge(
        text=text,
        facts=facts,
        profiles=corpus.profiles,
        sharing=confirmed.sharing,
        decisions=known,
        now=utc_now(),
        other_chars=other_chars,
    )


def _best_background(
    confirmed: Confirmed, profiles: Mapping[WorkKind, Profile]
) -> Sequence[PassageAlignment]:
    """Return what a text shares with background texts, each stretch with one of them."""
    page = confirmed.read.text
    nothing_common = Sharing(np.zeros(len(page.letters), dtype=np.int32))
    return charge(page, confirmed.background, nothing_common, profiles)


def _placed(background: Sequence[Background], read: ReadPage) -> tuple[Background, ...]:
    return tuple(replace(own, spans=read.places(own.spans)) for own in background)


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
