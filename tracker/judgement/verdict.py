"""Judgement: what the copied characters of a page amount to. Pure; thresholds come from a profile."""

from collections.abc import Iterable
from dataclasses import dataclass

from storage.records import VERDICTS, Verdict
from tracker.judgement.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much was copied.

    Attributes:
        page_chars: characters of the page.
        copied_chars: characters of the page that are copied.
        taken_chars: characters of the work that are in the page; fewer when the page repeats itself.
        passage_coverage: share of the passage that is in the page.
    """

    page_chars: int
    copied_chars: int
    taken_chars: int
    passage_coverage: float = 0.0

    @property
    def amount(self) -> int:
        """Characters that count: what a page repeats was still taken once."""
        return min(self.copied_chars, self.taken_chars)

    @property
    def coverage(self) -> float:
        """Share of the page that is copied."""
        return self.copied_chars / self.page_chars if self.page_chars else 0.0


def judge(extent: Extent, profile: Profile, *, licensed: bool = False) -> Verdict:
    """Return the verdict on one extent of copying; common stretches are left out of it beforehand.

    Args:
        extent: how much was copied.
        profile: the thresholds.
        licensed: the site may publish the work.
    """
    if extent.amount < profile.quote_chars and extent.coverage < profile.phrase_coverage:
        return "clear"
    if licensed:
        return "licensed"
    if _is_copy(extent, profile):
        return "copy"
    if _is_partial(extent, profile):
        return "partial"
    return "quote"


def _is_copy(extent: Extent, profile: Profile) -> bool:
    if extent.amount < profile.short_chars:
        return False
    if extent.passage_coverage >= profile.copy_passage_coverage:
        return True
    enough = profile.copy_coverage if extent.amount >= profile.copy_chars else profile.short_coverage
    return extent.coverage >= enough


def _is_partial(extent: Extent, profile: Profile) -> bool:
    by_share = extent.coverage >= profile.partial_coverage and extent.amount >= profile.partial_coverage_chars
    return by_share or extent.amount >= profile.partial_chars


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the gravest of several verdicts; ``clear`` for none."""
    return min(verdicts, key=VERDICTS.index, default="clear")
