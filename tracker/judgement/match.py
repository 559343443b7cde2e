"""A page against one passage: what was found, what it amounts to, and what of it is listed. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from fingerprint.text.disguises import Disguise
from storage.records import (
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
)
from tracker.judgement.reviewing import UNDECIDED, ReviewedSpans
from tracker.judgement.verdict import Extent

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageMatch:
    """A page against one passage: what was found and what it amounts to.

    Attributes:
        part: the text of the page that the match is in, and that its offsets count in.
        found_in: of a match in the rest, the pieces that its stretches are in, as far as they count.
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
        page_background, passage_background: characters of page and passage, beside what is copied, that the
            passage has from background texts; the extent is without them.
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
