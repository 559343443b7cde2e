"""Judging of alignments: the stretches of one passage, of one work, of the whole page. Pure.

Three kinds of stretches are listed but not counted: *common* ones, which several unrelated works share or
which are in background texts; *dismissed* ones, which an analyst judged not to infringe
(:mod:`tracker.judgement.reviewing`); and all stretches of a match that is ``clear`` even together with the
other stretches of its work.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from fingerprint.information import bits_a_character
from fingerprint.text.disguises import Disguise
from storage.records import (
    UNCOUNTED,
    Decision,
    Precedence,
    Span,
    Verdict,
    Work,
    WorkKind,
    gravest,
    meaning_of,
    precedence,
)
from tracker.alignment.align import Aligned
from tracker.alignment.disguises import order_disguises
from tracker.alignment.homophones import Places, no_places, shown_homophones
from tracker.judgement.alignments import PassageAlignment, Sharing
from tracker.judgement.information import copied_bits
from tracker.judgement.licences import Facts, licence_state, worst
from tracker.judgement.match import PassageMatch, mask
from tracker.judgement.profiles import Profile
from tracker.judgement.reviewing import cut_span, review_spans
from tracker.judgement.rewording import differences
from tracker.judgement.verdict import (
    Extent,
    is_form,
    judge,
    judge_pieced,
    taken_together,
    weighed,
    without_background,
)

_NOTEWORTHY = 0.1  # a smaller share of a passage cannot reach any threshold


@dataclass(frozen=True, slots=True)
class Judge:
    """The context for judging one page.

    Attributes:
        text: the text that is judged: the page's article or its rest.
        facts: further facts about the page.
        profiles: by the kind of work.
        sharing: which extents of the page are common.
        decisions: of the page's site, by the SHA-256 of passages.
        now: the present.
        other_chars: characters of the page's other text; shares of the page are taken of both together.
    """

    text: str
    facts: Facts
    profiles: Mapping[WorkKind, Profile]
    sharing: Sharing
    decisions: Mapping[str, Sequence[Decision]]
    now: datetime
    other_chars: int = 0

    @property
    def page_chars(self) -> int:
        """Characters of the page that shares are computed from."""
        return len(self.text) + self.other_chars

    def match(self, alignment: PassageAlignment) -> PassageMatch:
        """Judge one passage's stretches alone; ``clear`` if they do not count."""
        profile = self.profiles[alignment.work.kind]
        unshared, common = self.sharing.unshared_and_common(alignment, profile)
        shared = sorted((*common, *alignment.background), key=lambda aligned: aligned.span.page_start)
        decisions = self.decisions.get(alignment.passage.sha256, ())
        pieces = [piece for aligned in unshared or shared for piece in _cut(aligned, decisions)]
        reviewed = review_spans([aligned.span for aligned in pieces], decisions)
        counting = set(reviewed.counted)
        counted = [aligned for aligned in pieces if aligned.span in counting]
        is_counting = bool(unshared and counted)
        measured = self._measure(alignment, counted or pieces, profile, is_counting=is_counting)
        return replace(
            measured,
            verdict=measured.verdict if unshared else "common",
            common=_spans(shared) if unshared else (),
            reviewed=reviewed,
            counts=is_counting,
        )

    def _measure(
        self, alignment: PassageAlignment, counted: Sequence[Aligned], profile: Profile, *, is_counting: bool
    ) -> PassageMatch:
        spans, length = _spans(counted), len(alignment.passage.text)
        covered = mask(spans, len(self.text))
        whole = Extent(
            page_chars=self.page_chars,
            copied_chars=int(covered.sum()),
            taken_chars=int(mask(spans, length, passage=True).sum()),
            passage_chars=length,
            work_chars=alignment.work.characters,
        )
        background = _spans(alignment.background)
        page_background = int((mask(background, len(self.text)) & ~covered).sum())
        passage_background = int(mask(background, length, passage=True).sum())
        columns = sum(aligned.columns for aligned in counted)
        identity = round(sum(aligned.same_character for aligned in counted) / columns, 4)
        if is_counting:
            whole = self._with_information(
                replace(whole, char_identity=identity), alignment.passage.text, counted, profile
            )
            whole = self._with_differences(whole, alignment.passage.text, counted, profile)
        extent = without_background(whole, page=page_background, passage=passage_background, profile=profile)
        share = whole.taken_chars / max(1, length)
        licence = licence_state(
            alignment.work, self.facts, text=self.text, copied=covered, share=share, now=self.now
        )
        return PassageMatch(
            work=alignment.work,
            passage=alignment.passage,
            profile=profile.id,
            verdict=judge(extent, profile, licensed=licence == "licensed"),
            coverage=round(extent.copied_chars / self.page_chars, 4),
            passage_coverage=round(share, 4),
            copied_chars=extent.amount,
            taken_chars=extent.taken_chars,
            longest_span=max(span.page_end - span.page_start for span in spans),
            char_identity=identity,
            sound_identity=round(sum(aligned.same_sound for aligned in counted) / columns, 4),
            spans=spans,
            disguises=_disguises(spans, self.text, alignment.passage.text),
            anchors=alignment.anchors,
            extent=extent,
            homophones=shown_homophones(_homophone_places(counted), self.text, alignment.passage.text),
            licence=licence,
            page_older_by=self._page_older_by(alignment.work),
            page_background=page_background,
            passage_background=passage_background,
            charged_to=alignment.charged_to,
        )

    def _with_information(
        self, extent: Extent, passage: str, counted: Sequence[Aligned], profile: Profile
    ) -> Extent:
        """Return an extent with its information; that of page and passage only where it matters."""
        copied = copied_bits(passage, counted) / max(1, extent.amount)
        if copied >= profile.character_bits:
            return replace(extent, copied_bits=copied)
        has_noteworthy_share = extent.own_share >= _NOTEWORTHY
        return replace(
            extent,
            copied_bits=copied,
            page_bits=bits_a_character(self.text),
            passage_bits=bits_a_character(passage) if has_noteworthy_share else extent.passage_bits,
        )

    def _with_differences(
        self, extent: Extent, passage: str, counted: Sequence[Aligned], profile: Profile
    ) -> Extent:
        """Return an extent with what its differing words show: a retelling, noise or neither."""
        shown = differences(self.text, passage, counted, below=profile.reworded_identity)
        if shown is None:
            return extent
        if not shown.is_retelling:
            return replace(extent, is_noisy=shown.is_random)
        return replace(extent, word_identity=shown.identity, verbatim_chars=shown.verbatim_chars)

    def _is_pieced(self, match: PassageMatch) -> bool:
        """Return whether a match counts together with those of other works."""
        is_copied = match.counts and meaning_of(match.verdict).is_verbatim
        return is_copied and not is_form(match.extent, self.profiles[match.work.kind])

    def _page_older_by(self, work: Work) -> Precedence:
        """Return the evidence that the page is older than a work."""
        return precedence(
            page=self.facts.published,
            first_seen=self.facts.first_seen,
            work=work.published,
            is_imported=self.facts.is_imported,
        )

    def passages(self, matches: Sequence[PassageMatch]) -> list[PassageMatch]:
        """Judge the passages of one work again, now that all its passages on the page are known."""
        counted = [match for match in matches if match.counts]
        if not counted:
            return list(matches)
        profile = self.profiles[counted[0].work.kind]
        extents = [(weighed(match.extent, profile), mask(match.spans, len(self.text))) for match in counted]
        together = taken_together(extents, profile.stub_chars)
        return [self._judged_with(match, together) if match.counts else match for match in matches]

    def _judged_with(self, match: PassageMatch, together: tuple[tuple[float, int], ...]) -> PassageMatch:
        extent, profile = replace(match.extent, together=together), self.profiles[match.work.kind]
        verdict = judge(extent, profile, licensed=match.licence == "licensed")
        return replace(match, extent=extent, verdict=verdict)

    def work(self, matches: Sequence[PassageMatch]) -> Verdict:
        """Judge all stretches of one work together: many small stretches weigh like a long one."""
        counted = [match for match in matches if match.counts]
        if not counted:
            remaining = [match for match in matches if match.reviewed.review != "dismissed"]
            return "common" if any(match.verdict in UNCOUNTED for match in remaining) else "clear"
        copied = int(mask((span for match in counted for span in match.spans), len(self.text)).sum())
        taken = sum(match.taken_chars for match in counted)
        extent = _with_means(
            Extent(
                page_chars=len(self.text),
                copied_chars=copied,
                taken_chars=taken,
                passage_chars=max(match.work.characters for match in counted),
            ),
            counted,
        )
        licensed = worst(match.licence for match in counted) == "licensed"
        together = judge(extent, self.profiles[counted[0].work.kind], licensed=licensed)
        return gravest([together, *(match.verdict for match in counted)])

    def page(self, works: Mapping[int, Sequence[PassageMatch]], verdicts: Mapping[int, Verdict]) -> Verdict:
        """Judge the page: the gravest verdict on a work, or the verdict on all works together.

        The part beyond a quotation counts for each work that is at least quoted, except for forms and
        retellings. An extent that several works contain counts once. The strictest of the profiles concerned
        decides.

        Args:
            works: the matches of each book.
            verdicts: on the books.
        """
        taken, beyond, profiles = np.zeros(len(self.text), dtype=bool), 0, set[Profile]()
        quoted = [
            [match for match in matches_of_book if self._is_pieced(match)]
            for book_id, matches_of_book in works.items()
            if meaning_of(verdicts[book_id]).is_taken
        ]
        for matches_of_book in sorted(
            filter(None, quoted),
            key=lambda matches_of_book: -sum(match.extent.copied_chars for match in matches_of_book),
        ):
            profile = self.profiles[matches_of_book[0].work.kind]
            places = mask((span for match in matches_of_book for span in match.spans), len(self.text))
            most = sum(min(match.taken_chars, match.extent.verbatim.taken_chars) for match in matches_of_book)
            amount = min(int((places & ~taken).sum()), most)
            amount = round(amount * _mean_weight(matches_of_book, profile))
            beyond += max(0, amount - profile.pieced_quote_chars)
            taken |= places
            profiles.add(profile)
        extent = Extent(page_chars=len(self.text), copied_chars=beyond, taken_chars=beyond)
        pieced = (judge_pieced(extent, profile) for profile in profiles)
        return gravest([*verdicts.values(), *pieced])


def _spans(stretches: Sequence[Aligned]) -> tuple[Span, ...]:
    return tuple(aligned.span for aligned in stretches)


def _with_means(extent: Extent, matches: Sequence[PassageMatch]) -> Extent:
    """Return an extent with the means of several matches' information and identity, by copied characters."""
    extents = [match.extent for match in matches]
    amounts = [max(1, of_match.amount) for of_match in extents]

    def mean(values: Iterable[float]) -> float:
        return float(np.average(list(values), weights=amounts))

    return replace(
        extent,
        copied_bits=mean(of_match.copied_bits for of_match in extents),
        page_bits=mean(of_match.page_bits for of_match in extents),
        passage_bits=mean(of_match.passage_bits for of_match in extents),
        char_identity=mean(of_match.char_identity for of_match in extents),
        word_identity=mean(of_match.word_identity for of_match in extents),
        verbatim_chars=sum(of_match.verbatim.amount for of_match in extents),
        is_noisy=all(of_match.is_noisy for of_match in extents),
    )


def _mean_weight(matches: Sequence[PassageMatch], profile: Profile) -> float:
    """Return the share of the copied characters that counts."""
    copied = sum(match.extent.amount for match in matches)
    counting = sum(weighed(match.extent, profile).amount for match in matches)
    return counting / copied if copied else 1.0


def _disguises(spans: tuple[Span, ...], page: str, passage: str) -> tuple[Disguise, ...]:
    """Return the disguises of stretches: of each alone, and of their order."""
    names = {name for span in spans for name in span.disguises}
    return tuple(sorted(names | set(order_disguises(spans, page, passage))))


def _cut(aligned: Aligned, decisions: Sequence[Decision]) -> list[Aligned]:
    """Split a stretch into dismissed and other pieces; each has the identity of the whole."""
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
    """Return the offsets of homophones in counting stretches; those of a repetition belong elsewhere."""
    places = [no_places()]
    for aligned in counted:
        ours = aligned.homophones[:, 0]
        inside = (ours >= aligned.span.page_start) & (ours < aligned.span.page_end)
        places.append(aligned.homophones[inside])
    return np.concatenate(places)
