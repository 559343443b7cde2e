"""Verdicts on the copied characters of a page. Pure; thresholds come from a profile.

Each verdict can be reached by the copied share of the page, by the copied share of the passage, or by the
number of characters. More of any of the three never gives a milder verdict. Partial copies begin far below
the thresholds of copies, so no verdict is skipped between two neighbouring shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from storage.records import AMPLE_BITS, LEADS, TAKEN, Verdict
from tracker.judgement.profiles import Profile

# With fewer characters, a match outside an article is not a copy: lists contain teasers of works.
OUTSIDE_QUOTE_CHARS = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The extent of copying.

    Attributes:
        page_chars: characters of the page, without those that the passage too shares with background texts.
        copied_chars: characters of the page that are copied.
        taken_chars: characters of the work that are on the page; fewer if the page repeats itself.
        passage_chars: characters of the passage; 0 if no passage of known length is concerned.
        work_chars: characters of its work; 0 if unknown.
        copied_bits, page_bits, passage_bits: information a character of the copied text, the page and the
            passage (:mod:`tracker.judgement.information`); ``AMPLE_BITS`` where it was not measured.
        char_identity: share of the columns of the copied text with the same characters.
        word_identity: share of the columns with the same characters or sounds where the rest is in other,
            natural words (:mod:`tracker.judgement.rewording`); 1 in any other text.
        verbatim_chars: the copied characters that are taken word for word; matters below 1 only.
        is_noisy: the differing characters do not read naturally.
        together: the copied parts of all passages of the work, from :func:`taken_together`; empty if only one
            passage is known.
    """

    page_chars: int
    copied_chars: int
    taken_chars: int
    passage_chars: int = 0
    work_chars: int = 0
    copied_bits: float = AMPLE_BITS
    page_bits: float = AMPLE_BITS
    passage_bits: float = AMPLE_BITS
    char_identity: float = 1.0
    word_identity: float = 1.0
    verbatim_chars: int = 0
    is_noisy: bool = False
    together: tuple[tuple[float, int], ...] = ()

    @property
    def information(self) -> tuple[float, float, float]:
        """Bits a character of the copied text, the page and the passage, as matches store them."""
        return round(self.copied_bits, 2), round(self.page_bits, 2), round(self.passage_bits, 2)

    @property
    def differences(self) -> tuple[float, ...]:
        """Word identity, characters taken word for word, and 1 for noise, as matches store them.

        Empty if the differing characters show neither a retelling nor noise.
        """
        is_known = self.is_noisy or self.word_identity < 1
        return (round(self.word_identity, 4), self.verbatim_chars, int(self.is_noisy)) if is_known else ()

    @property
    def verbatim(self) -> "Extent":
        """The extent of the verbatim parts."""
        if self.word_identity == 1:
            return self
        return replace(
            self,
            copied_chars=min(self.copied_chars, self.verbatim_chars),
            taken_chars=min(self.taken_chars, self.verbatim_chars),
            word_identity=1.0,
            together=(),
        )

    @property
    def amount(self) -> int:
        """Characters that count: repeated text was copied only once."""
        return min(self.copied_chars, self.taken_chars)

    @property
    def coverage(self) -> float:
        """Share of the page that is copied."""
        return min(1.0, self.copied_chars / self.page_chars) if self.page_chars else 0.0

    @property
    def own_share(self) -> float:
        """Share of the passage that is on the page, however short the passage is."""
        return min(1.0, self.taken_chars / self.passage_chars) if self.passage_chars else 0.0

    def share_taken(self, stub_chars: int) -> float:
        """Return the share of the passage that is on the page.

        Args:
            stub_chars: a shorter passage of a longer work counts as one of this length, because the stub of a
                chapter is not a separate work. Passages of one work fill this length together and then count
                like the
                one with the smallest copied share.
        """
        whole = max(self.passage_chars, min(self.work_chars, stub_chars))
        if not whole:
            return 0.0
        joined = (min(self.own_share, share, chars / whole) for share, chars in self.together)
        return max(self.taken_chars / whole, *joined, 0.0)


def weighed(extent: Extent, profile: Profile) -> Extent:
    """Return an extent in ordinary characters: set wording counts by its share of ``character_bits``.

    Copied text, page and passage are weighed alike, so a text of set wording that was copied whole is whole.

    >>> notice = Extent(page_chars=900, copied_chars=300, taken_chars=300, copied_bits=1.0, page_bits=2.0)
    >>> in_ordinary_characters = weighed(notice, Profile(name="x", version=1, character_bits=4))
    >>> in_ordinary_characters.page_chars, in_ordinary_characters.copied_chars
    (450, 75)
    """
    if not profile.character_bits:
        return extent
    # Random edits replace characters, so what remains carries the information of fewer.
    copied_bits = extent.copied_bits / (max(0.5, extent.char_identity) if extent.is_noisy else 1.0)
    copied, page, passage = (
        min(1.0, bits / profile.character_bits)
        for bits in (copied_bits, extent.page_bits, extent.passage_bits)
    )
    return replace(
        extent,
        page_chars=round(extent.page_chars * page),
        copied_chars=round(extent.copied_chars * copied),
        taken_chars=round(extent.taken_chars * copied),
        verbatim_chars=round(extent.verbatim_chars * copied),
        passage_chars=round(extent.passage_chars * passage),
        work_chars=round(extent.work_chars * passage),
        copied_bits=AMPLE_BITS,
        page_bits=AMPLE_BITS,
        passage_bits=AMPLE_BITS,
        is_noisy=False,
    )


def without_background(extent: Extent, *, page: int, passage: int, profile: Profile) -> Extent:
    """Return an extent without the text that page and passage share with background texts.

    Args:
        extent: of the whole page, passage and work.
        page: characters of the page that are in background texts and not copied.
        passage: characters of the passage that are in background texts.
        profile: at least its ``copy_chars`` remain of each; less is too short to count as a whole.
    """
    least = max(1, profile.copy_chars)
    page = min(page, max(0, extent.page_chars - least))
    passage = min(passage, max(0, extent.passage_chars - least))
    return replace(
        extent,
        page_chars=extent.page_chars - page,
        passage_chars=extent.passage_chars - passage,
        work_chars=max(0, extent.work_chars - passage),
    )


def taken_together(
    passages: Sequence[tuple[Extent, npt.NDArray[np.bool_]]], stub_chars: int
) -> tuple[tuple[float, int], ...]:
    """Return how much of one work a page has, in passages with at least some copied share.

    Args:
        passages: the extent of each passage, and its characters of the page.
        stub_chars: limit; further characters make no difference.

    Returns:
        Pairs, from the largest share down: a share, and the page characters of all passages of which at least
        this share was copied. A character of the page counts once.
    """
    steps, taken, covered = list[tuple[float, int]](), 0, None
    for extent, places in sorted(passages, key=lambda entry: entry[0].own_share, reverse=True):
        taken += extent.taken_chars
        covered = places if covered is None else covered | places
        steps.append((extent.own_share, min(taken, int(covered.sum()))))
        if steps[-1][1] >= stub_chars:
            break
    return tuple(steps)


def judge(extent: Extent, profile: Profile, *, licensed: bool = False) -> Verdict:
    """Return the verdict on an extent of copying; common stretches are already excluded.

    Text that is long enough for a quotation is ``common`` if it carries no more information than a phrase. A
    retelling is ``reworded``, unless its verbatim parts alone already yield a verdict.

    Args:
        extent: how much was copied.
        profile: the thresholds.
        licensed: the site may publish the work.
    """
    verdict = _judge_amount(extent, profile, licensed=licensed)
    if verdict not in TAKEN or extent.word_identity >= profile.reworded_identity:
        return verdict
    verbatim = _judge_amount(extent.verbatim, profile)
    return verbatim if verbatim == verdict or verbatim in LEADS else "reworded"


def _judge_amount(extent: Extent, profile: Profile, *, licensed: bool = False) -> Verdict:
    """Return the verdict on an extent, all of which counts as copied."""
    characters, extent = extent, weighed(extent, profile)
    if _is_phrase(extent, profile):
        return "clear" if _is_phrase(characters, profile) else "common"
    if licensed:
        return "licensed"
    if is_form(characters, profile):
        return "quote"
    if _is_copy(extent, profile):
        return "copy"
    if _is_partial(extent, profile):
        return "partial"
    return "quote"


def milder_outside(verdict: Verdict, amount: int) -> Verdict:
    """Return the verdict on a passage in the rest of a page: with few characters at most a quotation.

    Args:
        verdict: by its extent.
        amount: copied characters.
    """
    return "quote" if verdict in LEADS and amount < OUTSIDE_QUOTE_CHARS else verdict


def judge_pieced(extent: Extent, profile: Profile) -> Verdict:
    """Return the verdict on all copies of a page from several works, without a quotation of each."""
    return judge(extent, replace(profile, partial_chars=profile.pieced_chars))


def _is_phrase(extent: Extent, profile: Profile) -> bool:
    return (
        extent.amount < profile.quote_chars
        and extent.coverage < profile.phrase_coverage
        and extent.share_taken(profile.stub_chars) < profile.phrase_passage_coverage
    )


def is_form(extent: Extent, profile: Profile) -> bool:
    """Return whether the texts are one form of set wording, each filled in with its own names and figures."""
    is_filled_in = extent.char_identity < profile.form_identity and not extent.is_noisy
    return is_filled_in and extent.copied_bits < profile.form_bits


def _is_copy(extent: Extent, profile: Profile) -> bool:
    if extent.amount < profile.short_chars:
        return False
    if extent.share_taken(profile.stub_chars) >= profile.copy_passage_coverage:
        return True
    enough = profile.copy_coverage if extent.amount >= profile.copy_chars else profile.short_coverage
    return extent.coverage >= enough


def _is_partial(extent: Extent, profile: Profile) -> bool:
    if extent.amount >= profile.partial_chars:
        return True
    if extent.amount < profile.short_chars:
        return False
    of_page, of_passage = extent.coverage, extent.share_taken(profile.stub_chars)
    if extent.amount < profile.partial_coverage_chars:
        return max(of_page, of_passage) >= profile.partial_short_coverage
    return of_page >= profile.partial_coverage or of_passage >= profile.partial_passage_coverage
