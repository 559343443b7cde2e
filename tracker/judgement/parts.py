"""Verdicts on the two texts of a page, and the resulting verdict on the page. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.records import VERDICTS, Match, Verdict, gravest

if TYPE_CHECKING:  # not at run time: this imports NumPy, which lists of cases do not need
    from tracker.judgement.match import PassageMatch


@dataclass(frozen=True, slots=True)
class PartVerdicts:
    """The verdicts on a page's article and on its rest; ``clear`` where there is nothing."""

    article: Verdict
    rest: Verdict

    @classmethod
    def of(cls, matches: "Iterable[Match | PassageMatch]") -> "PartVerdicts":
        """Return the gravest verdict of the matches in each text."""
        all_matches = list(matches)
        return cls(
            gravest(match.verdict for match in all_matches if match.part == "article"),
            gravest(match.verdict for match in all_matches if match.part == "rest"),
        )

    @property
    def page(self) -> Verdict:
        """The verdict on the page: the graver one."""
        return gravest([self.article, self.rest])

    @property
    def is_doubtful(self) -> bool:
        """Whether the verdict of the page comes from its rest alone, so a person must review it."""
        return VERDICTS.index(self.rest) < VERDICTS.index(self.article)
