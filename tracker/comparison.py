"""Comparing one text with the mother corpus: fingerprints, candidates, alignment, verdict.

The same path serves stored pages (Redis and MongoDB) and ``pindna check`` (either, or a folder in memory).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from storage.index.interface import FingerprintIndex
from storage.records import Passage, Span, Verdict, Work
from tracker.alignment import Aligned, align
from tracker.view import View, view
from tracker.disguises import order_disguises
from tracker.matching import MIN_ON_DIAGONAL, Candidate, Candidates, find_candidates
from tracker.methods import SHORT_LETTERS, Methods
from tracker.profiles import PROFILES, Profile
from tracker.verdict import Extent, gravest, judge

_Bools = npt.NDArray[np.bool_]


class Works(Protocol):
    """Where works come from."""

    def get_many(self, ids: Iterable[int]) -> Mapping[int, Work]:
        """Return the works that exist among ``ids``."""


class Passages(Protocol):
    """Where passages come from."""

    def get_many(self, ids: Iterable[int]) -> Mapping[int, Passage]:
        """Return the passages that exist among ``ids``."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The mother corpus as comparison needs it."""

    works: Works
    passages: Passages
    index: FingerprintIndex
    methods: Methods


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageMatch:
    """A page against one passage: what was found and what it amounts to."""

    work: Work
    passage: Passage
    profile: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    spans: tuple[Span, ...]
    disguises: tuple[str, ...]
    anchors: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A page against the whole mother corpus.

    Attributes:
        chars: characters of the page.
        verdict: the gravest of the works' verdicts, where a work's passages count together.
        coverage: share of the page covered by stretches that count.
        matches: by copied characters, most first.
        dropped: candidates beyond the limit that were not aligned.
        capped: looked-up hashes with more postings than the index returns.
    """

    chars: int
    verdict: Verdict
    coverage: float
    copied_chars: int
    low_confidence: bool
    matches: tuple[PassageMatch, ...]
    dropped: int
    capped: int


@dataclass(frozen=True, slots=True)
class _Found:
    """A candidate that alignment confirmed."""

    candidate: Candidate
    work: Work
    passage: Passage
    aligned: Sequence[Aligned]


def compare(text: str, corpus: Corpus, *, site: str = "") -> Comparison:
    """Compare a text with the mother corpus.

    Args:
        text: the page's text.
        corpus: what to compare with.
        site: host of the page, for licences.

    Raises:
        ServiceDown: MongoDB or Redis does not answer.
    """
    page = view(text)
    candidates = find_candidates(
        corpus.methods.of_page(page.letters),
        corpus.index,
        corpus.methods,
        least=1 if len(page.letters) < SHORT_LETTERS else MIN_ON_DIAGONAL,
    )
    found = _verified(page, candidates, corpus)
    common = _common_letters(page, found)
    matches = [_match(page, each, common, site) for each in found]
    by_work: dict[int, list[PassageMatch]] = {}
    for match in matches:
        by_work.setdefault(match.work.id, []).append(match)
    verdicts = {work_id: _work_verdict(page, own, site) for work_id, own in by_work.items()}
    return _concluded(page, matches, verdicts, candidates)


def _verified(page: View, candidates: Candidates, corpus: Corpus) -> list[_Found]:
    """Align the page with each candidate's text; a passage that was removed since is skipped."""
    passages = corpus.passages.get_many([each.passage_id for each in candidates.found])
    works = corpus.works.get_many({passage.work_id for passage in passages.values()})
    found = []
    for each in candidates.found:
        passage = passages.get(each.passage_id)
        work = works.get(passage.work_id) if passage is not None else None
        if passage is None or work is None or passage.id not in work.passage_ids:
            continue  # removed or replaced since
        aligned = align(page, view(passage.text), first=each.first, last=each.last)
        if aligned:
            found.append(_Found(each, work, passage, aligned))
    return found


def _common_letters(page: View, found: Sequence[_Found]) -> npt.NDArray[np.int32]:
    """Return how many works share each letter of the page: shape (letters,)."""
    depth = np.zeros(len(page.letters), dtype=np.int32)
    for work_id in {each.work.id for each in found}:
        shared = np.zeros(len(page.letters), dtype=bool)
        for each in found:
            if each.work.id == work_id:
                for aligned in each.aligned:
                    shared[slice(*aligned.letters)] = True
        depth += shared
    return depth


def _match(page: View, found: _Found, depth: npt.NDArray[np.int32], site: str) -> PassageMatch:
    """Judge one passage's stretches by themselves; ``clear`` when they amount to nothing."""
    profile = PROFILES[found.work.kind]
    own = [each for each in found.aligned if not _is_common(each, depth, profile)]
    counted = own or found.aligned
    spans = tuple(each.span for each in counted)
    copied = int(_mask(spans, len(page.text)).sum())
    there = int(_mask(spans, len(found.passage.text), passage=True).sum())
    extent = Extent(
        page_chars=len(page.text),
        copied_chars=copied,
        taken_chars=there,
        passage_coverage=there / max(1, len(found.passage.text)),
    )
    licensed = site in found.work.licensed_sites
    verdict: Verdict = judge(extent, profile, licensed=licensed) if own else "common"
    columns = sum(each.columns for each in counted)
    return PassageMatch(
        work=found.work,
        passage=found.passage,
        profile=profile.id,
        verdict=verdict,
        coverage=round(extent.coverage, 4),
        passage_coverage=round(extent.passage_coverage, 4),
        copied_chars=copied,
        longest_span=max(span.page_end - span.page_start for span in spans),
        char_identity=round(sum(each.same_character for each in counted) / columns, 4),
        sound_identity=round(sum(each.same_sound for each in counted) / columns, 4),
        spans=spans,
        disguises=tuple(
            sorted({name for span in spans for name in span.disguises} | set(order_disguises(spans)))
        ),
        anchors=found.candidate.anchors,
    )


def _is_common(aligned: Aligned, depth: npt.NDArray[np.int32], profile: Profile) -> bool:
    """Tell whether a short stretch is shared by so many works that it belongs to nobody."""
    if aligned.columns >= profile.common_chars:
        return False
    return float(np.median(depth[slice(*aligned.letters)])) >= profile.common_works


def _mask(spans: Iterable[Span], length: int, *, passage: bool = False) -> _Bools:
    """Return which characters the spans cover, on the page's or the passage's side."""
    mask = np.zeros(length, dtype=bool)
    for span in spans:
        bounds = (span.passage_start, span.passage_end) if passage else (span.page_start, span.page_end)
        mask[slice(*bounds)] = True
    return mask


def _work_verdict(page: View, own: Sequence[PassageMatch], site: str) -> Verdict:
    """Judge all that was taken from one work together: many small stretches weigh as much as a long one."""
    counted = [match for match in own if match.verdict != "common"]
    if not counted:
        return "common"
    copied = int(_mask((span for match in counted for span in match.spans), len(page.text)).sum())
    taken = sum(int(_mask(match.spans, len(match.passage.text), passage=True).sum()) for match in counted)
    work = counted[0].work
    extent = Extent(page_chars=len(page.text), copied_chars=copied, taken_chars=taken)
    together = judge(extent, PROFILES[work.kind], licensed=site in work.licensed_sites)
    return gravest([together, *(match.verdict for match in counted)])


def _mildest(work: Verdict) -> Verdict:
    """Return the verdict of a stretch that counts only beside others of its work."""
    return "licensed" if work == "licensed" else "quote"


def _concluded(
    page: View, matches: Sequence[PassageMatch], verdicts: Mapping[int, Verdict], candidates: Candidates
) -> Comparison:
    """Judge the page as a whole, and drop what amounts to nothing even beside its work's other stretches."""
    chars = len(page.text)
    kept = [
        replace(match, verdict=_mildest(verdicts[match.work.id])) if match.verdict == "clear" else match
        for match in matches
        if verdicts[match.work.id] not in ("clear", "common") or match.verdict == "common"
    ]
    kept.sort(key=lambda match: (-match.copied_chars, match.passage.id))
    counted = (match for match in kept if match.verdict != "common")
    covered = int(_mask((span for match in counted for span in match.spans), chars).sum())
    reliable = max((PROFILES[match.work.kind].reliable_chars for match in kept), default=300)
    return Comparison(
        chars=chars,
        verdict=gravest(verdicts.values()),
        coverage=round(covered / chars, 4) if chars else 0.0,
        copied_chars=covered,
        low_confidence=chars < reliable,
        matches=tuple(kept),
        dropped=candidates.dropped,
        capped=candidates.capped,
    )
