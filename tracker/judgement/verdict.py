"""Judgement: what the copied characters of a page amount to. Pure; thresholds come from a profile.

Each verdict can be reached by the share of the page that is copied, by the share of the passage that is
taken, and by the number of characters. More of any of the three never gives a milder verdict, and what makes
a copy makes a partial one long before, so that no verdict is left out between two neighbouring shares.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from storage.records import VERDICTS, Verdict
from tracker.judgement.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much was copied.

    Attributes:
        page_chars: characters of the page.
        copied_chars: characters of the page that are copied.
        taken_chars: characters of the work that are in the page; fewer when the page repeats itself.
        passage_chars: characters of the passage; 0 where it is about no passage of a known length.
        work_chars: characters of its work; 0 where they are not known.
    """

    page_chars: int
    copied_chars: int
    taken_chars: int
    passage_chars: int = 0
    work_chars: int = 0

    @property
    def amount(self) -> int:
        """Characters that count: what a page repeats was still taken once."""
        return min(self.copied_chars, self.taken_chars)

    @property
    def coverage(self) -> float:
        """Share of the page that is copied."""
        return self.copied_chars / self.page_chars if self.page_chars else 0.0

    def share_taken(self, stub_chars: int) -> float:
        """Return the share of the passage that is in the page.

        Args:
            stub_chars: a shorter passage of a longer work counts as one of this length, so that a stub of a
                chapter is no work of its own.
        """
        whole = max(self.passage_chars, min(self.work_chars, stub_chars))
        return self.taken_chars / whole if whole else 0.0


def judge(extent: Extent, profile: Profile, *, licensed: bool = False) -> Verdict:
    """Return the verdict on one extent of copying; common stretches are left out of it beforehand.

    Args:
        extent: how much was copied.
        profile: the thresholds.
        licensed: the site may publish the work.
    """
    if _is_phrase(extent, profile):
        return "clear"
    if licensed:
        return "licensed"
    if _is_copy(extent, profile):
        return "copy"
    if _is_partial(extent, profile):
        return "partial"
    return "quote"


def judge_pieced(extent: Extent, profile: Profile) -> Verdict:
    """Return the verdict on all that a page copies from several works, less a quotation of each."""
    return judge(extent, replace(profile, partial_chars=profile.pieced_chars))


def _is_phrase(extent: Extent, profile: Profile) -> bool:
    return (
        extent.amount < profile.quote_chars
        and extent.coverage < profile.phrase_coverage
        and extent.share_taken(profile.stub_chars) < profile.phrase_passage_coverage
    )


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


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the gravest of several verdicts; ``clear`` for none."""
    return min(verdicts, key=VERDICTS.index, default="clear")
