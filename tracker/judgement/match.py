"""A match of a page with one passage: stretches, extent and verdict. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from fingerprint.text.disguises import Disguise
from storage.records import (
    COUNTED,
    FOUND,
    PERMITTED,
    UNCOUNTED,
    Homophone,
    LicenceState,
    MatchPart,
    Passage,
    Precedence,
    RestPiece,
    Span,
    SuppressedSpan,
    Verdict,
    Work,
    bits_in_all,
    meaning_of,
)
from tracker.judgement.reviewing import UNDECIDED, ReviewedSpans
from tracker.judgement.verdict import Extent

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageMatch:
    """A match of a page with one passage.

    Attributes:
        part: the text of the page that contains the match and that its offsets refer to.
        found_in: for a match in the rest, the pieces that contain its counting stretches.
        spans: the stretches that count; of a match that does not count, all of them.
        common: stretches that do not count, because several unrelated works share them or they are in
            background
            texts.
        reviewed: the decisions on the match; dismissed stretches do not count either.
        homophones: some pairs of characters that show a copy disguised by homophones.
        counts: it affects the verdict on the page.
        taken_chars: characters of the passage that are on the page.
        copied_chars: the smaller of these and the copied characters of the page.
        extent: the input of the verdict.
        licence: the state of the site's licence for it.
        page_older_by: evidence that the page is older than the work; empty without any.
        charged_to: ids of the books that are charged with its text instead of its work.
        page_background, passage_background: characters of page and passage, beyond the copied ones, that the
            passage shares with background texts; the extent excludes them.
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
    disguises: tuple[Disguise, ...]
    anchors: Mapping[str, int]
    extent: Extent
    part: MatchPart = "article"
    found_in: tuple[RestPiece, ...] = ()
    homophones: tuple[Homophone, ...] = ()
    common: tuple[Span, ...] = ()
    reviewed: ReviewedSpans = UNDECIDED
    counts: bool = True
    licence: LicenceState = ""
    page_older_by: Precedence = ""
    page_background: int = 0
    passage_background: int = 0
    charged_to: tuple[int, ...] = ()

    @property
    def also_contained(self) -> bool:
        """Whether the page has most of the work, but other works are charged with the text."""
        return bool(self.charged_to)

    @property
    def information_bits(self) -> int | None:
        """The information of the copied characters; None if it was not measured."""
        return bits_in_all(self.extent.copied_bits, self.copied_chars)

    @property
    def suppressed(self) -> tuple[SuppressedSpan, ...]:
        """The stretches that are dismissed."""
        return self.reviewed.suppressed


def mask(spans: Iterable[Span], length: int, *, passage: bool = False) -> _Bools:
    """Return which characters the spans cover, on the page's or the passage's side."""
    covered = np.zeros(length, dtype=bool)
    for span in spans:
        bounds = (span.passage_start, span.passage_end) if passage else (span.page_start, span.page_end)
        covered[slice(*bounds)] = True
    return covered


def listed_matches(matches: Sequence[PassageMatch], verdicts: Mapping[int, Verdict]) -> list[PassageMatch]:
    """Return the matches to list, the most copied first; ``verdicts`` are those on books.

    A match that is ``clear`` alone is listed if the verdict on its work is graver.
    """
    listed = []
    for match in matches:
        together = verdicts[match.work.book_id]
        # set wording, which only counts together with other stretches
        if match.verdict in UNCOUNTED and match.counts:
            counts = together in COUNTED
            listed.append(
                replace(match, counts=counts, verdict=_within(together) if counts else match.verdict)
            )
        elif match.verdict in FOUND:
            if match.verdict in UNCOUNTED or not match.counts or together in COUNTED:
                listed.append(match)
        elif match.counts and together in COUNTED:
            listed.append(replace(match, verdict=together if together in PERMITTED else _within(together)))
    return sorted(listed, key=lambda match: (-match.copied_chars, match.passage.id))


def _within(together: Verdict) -> Verdict:
    """Return the verdict on a match that counts with others only, by that on their work."""
    return "quote" if meaning_of(together).is_verbatim else together
