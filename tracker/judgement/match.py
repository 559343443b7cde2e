"""Judging what alignment found: one passage's stretches, one work's, the whole page's. Pure.

Three kinds of stretches are listed and not counted: *common* ones, which several unrelated works share or
which stand in background texts; *dismissed* ones, which an analyst found not to be infringing
(:mod:`tracker.judgement.reviewing`); and all of a match that amounts to nothing even together with the other
stretches of its work.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from storage.records import (
    Decision,
    Homophone,
    LicenceState,
    Passage,
    Precedence,
    Span,
    Suppressed,
    Verdict,
    Work,
    WorkKind,
    precedence,
)
from tracker.alignment.align import Aligned
from tracker.alignment.disguises import order_disguises
from tracker.alignment.homophones import Places, no_places, shown_homophones
from tracker.judgement.licences import Facts, licence_state, worst
from tracker.judgement.profiles import Profile
from tracker.judgement.related import Depth
from tracker.judgement.reviewing import UNDECIDED, ReviewedSpans, cut_span, review_spans
from tracker.judgement.verdict import Extent, gravest, judge, judge_pieced, taken_together

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageMatch:
    """A page against one passage: what was found and what it amounts to.

    Attributes:
        spans: the stretches that count; of a match that does not count, all of them.
        common: stretches that do not count, because several unrelated works share them or they stand in
            background texts.
        reviewed: which stretches are dismissed and do not count either, and what else was decided of them.
        homophones: pairs of characters that make it a copy disguised by homophones, a few of them.
        counts: it has a say in the verdict on the page.
        taken_chars: characters of the passage that are on the page.
        copied_chars: these, or those of the page that are copied, if they are fewer.
        extent: what the verdict was judged by.
        licence: what a licence of the site makes of it.
        page_older_by: what shows that the page was there before the work; empty where nothing does.
    """

    work: Work
    passage: Passage
    profile: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    taken_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    spans: tuple[Span, ...]
    disguises: tuple[str, ...]
    anchors: Mapping[str, int]
    extent: Extent
    homophones: tuple[Homophone, ...] = ()
    common: tuple[Span, ...] = ()
    reviewed: ReviewedSpans = UNDECIDED
    counts: bool = True
    licence: LicenceState = ""
    page_older_by: Precedence = ""

    @property
    def suppressed(self) -> tuple[Suppressed, ...]:
        """The stretches that are dismissed."""
        return self.reviewed.suppressed


@dataclass(frozen=True, slots=True)
class PassageAlignment:
    """A candidate that alignment confirmed.

    Attributes:
        aligned: its stretches, in page order, without …
        background: … those that stand in background texts, which are nobody's.
    """

    work: Work
    passage: Passage
    aligned: Sequence[Aligned]
    anchors: Mapping[str, int]
    background: Sequence[Aligned] = ()


@dataclass(frozen=True, slots=True)
class Sharing:
    """Which places of a page are common.

    Attributes:
        depth: how many unrelated texts share each letter of the page.
        whole: ids of passages that are as good as whole on the page, of which nothing is common.
    """

    depth: Depth
    whole: frozenset[int] = frozenset()

    def own_and_common(
        self, alignment: PassageAlignment, profile: Profile
    ) -> tuple[list[Aligned], list[Aligned]]:
        """Return the stretches that are a passage's own, and those that are common to many works."""
        own, common = list[Aligned](), list[Aligned]()
        for aligned in alignment.aligned:
            is_shared = alignment.passage.id not in self.whole and is_common(aligned, self.depth, profile)
            (common if is_shared else own).append(aligned)
        return own, common


@dataclass(frozen=True, slots=True)
class Judge:
    """What judging one page needs.

    Attributes:
        text: the page's text.
        facts: what else is known of it.
        profiles: by the kind of work.
        sharing: which places of the page are common.
        decisions: of the page's site, by the SHA-256 of passages.
        now: the present.
    """

    text: str
    facts: Facts
    profiles: Mapping[WorkKind, Profile]
    sharing: Sharing
    decisions: Mapping[str, Sequence[Decision]]
    now: datetime

    def match(self, alignment: PassageAlignment) -> PassageMatch:
        """Judge one passage's stretches by themselves; ``clear`` when they amount to nothing."""
        profile = self.profiles[alignment.work.kind]
        own, common = self.sharing.own_and_common(alignment, profile)
        others = sorted((*common, *alignment.background), key=lambda aligned: aligned.span.page_start)
        decisions = self.decisions.get(alignment.passage.sha256, ())
        weighed = [part for aligned in own or others for part in _cut(aligned, decisions)]
        reviewed = review_spans([aligned.span for aligned in weighed], decisions)
        counting = set(reviewed.counted)
        counted = [aligned for aligned in weighed if aligned.span in counting]
        measured = self._measure(alignment, counted or weighed, profile)
        return replace(
            measured,
            verdict=measured.verdict if own else "common",
            common=_spans(others) if own else (),
            reviewed=reviewed,
            counts=bool(own and counted),
        )

    def _measure(
        self, alignment: PassageAlignment, counted: Sequence[Aligned], profile: Profile
    ) -> PassageMatch:
        spans = _spans(counted)
        covered = mask(spans, len(self.text))
        extent = _extent(alignment, covered, spans, profile)
        share = extent.taken_chars / max(1, len(alignment.passage.text))
        licence = licence_state(
            alignment.work, self.facts, text=self.text, copied=covered, share=share, now=self.now
        )
        columns = sum(aligned.columns for aligned in counted)
        return PassageMatch(
            work=alignment.work,
            passage=alignment.passage,
            profile=profile.id,
            verdict=judge(extent, profile, licensed=licence == "licensed"),
            coverage=round(extent.copied_chars / len(self.text), 4),
            passage_coverage=round(share, 4),
            copied_chars=extent.amount,
            taken_chars=extent.taken_chars,
            longest_span=max(span.page_end - span.page_start for span in spans),
            char_identity=round(sum(aligned.same_character for aligned in counted) / columns, 4),
            sound_identity=round(sum(aligned.same_sound for aligned in counted) / columns, 4),
            spans=spans,
            disguises=tuple(
                sorted(
                    {name for span in spans for name in span.disguises}
                    | set(order_disguises(spans, self.text, alignment.passage.text))
                )
            ),
            anchors=alignment.anchors,
            extent=extent,
            homophones=shown_homophones(_homophone_places(counted), self.text, alignment.passage.text),
            licence=licence,
            page_older_by=precedence(
                page=self.facts.published,
                first_seen=self.facts.first_seen,
                work=alignment.work.published,
            ),
        )

    def passages(self, own: Sequence[PassageMatch]) -> list[PassageMatch]:
        """Judge the passages of one work again, now that it is known which of them the page has."""
        counted = [match for match in own if match.counts]
        if not counted:
            return list(own)
        profile = self.profiles[counted[0].work.kind]
        extents = [(match.extent, mask(match.spans, len(self.text))) for match in counted]
        together = taken_together(extents, profile.stub_chars)
        return [self._judged_with(match, together) if match.counts else match for match in own]

    def _judged_with(self, match: PassageMatch, together: tuple[tuple[float, int], ...]) -> PassageMatch:
        extent, profile = replace(match.extent, together=together), self.profiles[match.work.kind]
        verdict = judge(extent, profile, licensed=match.licence == "licensed")
        return replace(match, extent=extent, verdict=verdict)

    def work(self, own: Sequence[PassageMatch]) -> Verdict:
        """Judge all that was taken from one work together: many small stretches weigh like a long one."""
        counted = [match for match in own if match.counts]
        if not counted:
            left = [match for match in own if match.reviewed.review != "dismissed"]
            return "common" if any(match.verdict == "common" for match in left) else "clear"
        copied = int(mask((span for match in counted for span in match.spans), len(self.text)).sum())
        taken = sum(match.taken_chars for match in counted)
        extent = Extent(
            page_chars=len(self.text),
            copied_chars=copied,
            taken_chars=taken,
            passage_chars=max(match.work.characters for match in counted),
        )
        licensed = worst(match.licence for match in counted) == "licensed"
        together = judge(extent, self.profiles[counted[0].work.kind], licensed=licensed)
        return gravest([together, *(match.verdict for match in counted)])

    def page(self, works: Mapping[int, Sequence[PassageMatch]], verdicts: Mapping[int, Verdict]) -> Verdict:
        """Judge the page: the gravest of the verdicts on works, or what these come to together.

        Each work that is quoted at least counts with what goes beyond a quotation; where works hold the same
        place of the page it counts once. Of the profiles concerned the strictest one decides.

        Args:
            works: the matches of each book.
            verdicts: on the books.
        """
        taken, beyond, profiles = np.zeros(len(self.text), dtype=bool), 0, set[Profile]()
        quoted = [
            [match for match in own if match.counts]
            for book_id, own in works.items()
            if verdicts[book_id] in ("copy", "partial", "quote")
        ]
        for own in sorted(quoted, key=lambda own: -sum(match.extent.copied_chars for match in own)):
            profile = self.profiles[own[0].work.kind]
            places = mask((span for match in own for span in match.spans), len(self.text))
            amount = min(int((places & ~taken).sum()), sum(match.taken_chars for match in own))
            beyond += max(0, amount - profile.pieced_quote_chars)
            taken |= places
            profiles.add(profile)
        extent = Extent(page_chars=len(self.text), copied_chars=beyond, taken_chars=beyond)
        pieced = (judge_pieced(extent, profile) for profile in profiles)
        return gravest([*verdicts.values(), *pieced])


def _extent(alignment: PassageAlignment, covered: _Bools, spans: Sequence[Span], profile: Profile) -> Extent:
    """Return how much is copied of a passage; what page and passage have from background texts is no part.

    At least ``copy_chars`` are left of each, for less is no whole that may be taken.
    """
    length, least = len(alignment.passage.text), max(1, profile.copy_chars)
    stretches = _spans(alignment.background)
    background = min(int(mask(stretches, length, passage=True).sum()), max(0, length - least))
    on_page = int((mask(stretches, len(covered)) & ~covered).sum())
    return Extent(
        page_chars=len(covered) - min(on_page, max(0, len(covered) - least)),
        copied_chars=int(covered.sum()),
        taken_chars=int(mask(spans, length, passage=True).sum()),
        passage_chars=length - background,
        work_chars=alignment.work.characters - background,
    )


def _spans(stretches: Sequence[Aligned]) -> tuple[Span, ...]:
    return tuple(aligned.span for aligned in stretches)


def _cut(aligned: Aligned, decisions: Sequence[Decision]) -> list[Aligned]:
    """Return the dismissed parts of a stretch and the others; each is as alike as all of it."""
    spans = cut_span(aligned.span, decisions)
    if len(spans) == 1:
        return [aligned]
    length = aligned.span.passage_end - aligned.span.passage_start
    shares = [(span.passage_end - span.passage_start) / length for span in spans]
    return [
        replace(
            aligned,
            span=span,
            columns=max(1, round(aligned.columns * share)),
            same_sound=round(aligned.same_sound * share),
            same_character=round(aligned.same_character * share),
        )
        for span, share in zip(spans, shares, strict=True)
    ]


def _homophone_places(counted: Sequence[Aligned]) -> Places:
    """Return the places of homophones in what counts: those of a repetition were found elsewhere."""
    places = [no_places()]
    for aligned in counted:
        ours = aligned.homophones[:, 0]
        inside = (ours >= aligned.span.page_start) & (ours < aligned.span.page_end)
        places.append(aligned.homophones[inside])
    return np.concatenate(places)


def is_common(aligned: Aligned, depth: Depth, profile: Profile) -> bool:
    """Return whether a short stretch is shared by too many unrelated works to be one work's own."""
    if aligned.columns >= profile.common_chars:
        return False
    return float(np.median(depth[slice(*aligned.letters)])) >= profile.common_works


def mask(spans: Iterable[Span], length: int, *, passage: bool = False) -> _Bools:
    """Return which characters the spans cover, on the page's or the passage's side."""
    covered = np.zeros(length, dtype=bool)
    for span in spans:
        bounds = (span.passage_start, span.passage_end) if passage else (span.page_start, span.page_end)
        covered[slice(*bounds)] = True
    return covered


def listed_matches(matches: Sequence[PassageMatch], verdicts: Mapping[int, Verdict]) -> list[PassageMatch]:
    """Return the matches that are listed, the most copied first; verdicts are those on books.

    What is ``clear`` by itself takes part in the verdict on its work when that is graver.
    """
    listed = []
    for match in matches:
        together = verdicts[match.work.book_id]
        if match.verdict != "clear":
            if match.verdict == "common" or not match.counts or together not in ("clear", "common"):
                listed.append(match)
        elif match.counts and together not in ("clear", "common"):
            listed.append(replace(match, verdict="licensed" if together == "licensed" else "quote"))
    return sorted(listed, key=lambda match: (-match.copied_chars, match.passage.id))
