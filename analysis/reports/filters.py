"""Filters of the HTML report that need only its style sheet, no script. They also work for printed pages.

A filter is a list of values to choose from. Each entry of the report (a case, a match, a decision) has a
class for each of its values. If a value is chosen, a rule hides the entries without its class. Classes
consist of pindna's names and of numbers, never of text of a page or a title. So no foreign text reaches the
style sheet.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from analysis.reports.records import CaseReport, Report
from storage.records import LOOK_STATES, REVIEW_NAMES, VERDICTS, Match

MAX_CHOICES = 200  # maximum values of a filter, because each is a rule that the browser must apply


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter.

    Attributes:
        name: name of the filter, letters only.
        choices: value → text that readers see, in the order of the list.
    """

    name: str
    choices: Mapping[str, str]

    def classes(self, values: Iterable[str]) -> Iterator[str]:
        """Yield the class of each value that can be chosen."""
        numbers = {value: number for number, value in enumerate(self.choices)}
        return (f"{self.name}-{numbers[value]}" for value in dict.fromkeys(values) if value in numbers)

    @property
    def rules(self) -> str:
        """The style rules. The first item of the list means all values."""
        return "".join(
            f"body:has(#by-{self.name} :nth-child({number + 2}):checked)"
            f" .entry:not(.{self.name}-{number}) {{ display: none; }}\n"
            for number in range(len(self.choices))
        )


class Filters:
    """The filters of one report."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._looks = {
            entry.match.id: entry.presence.state for entry in report.matches if entry.presence is not None
        }
        matches = [*(entry.match for entry in report.matches), *report.dismissed]
        verdicts = {match.verdict for match in matches}
        reviews = {_review_class(match) for match in matches}
        self.verdict = Filter("verdict", _code_choices(code for code in VERDICTS if code in verdicts))
        self.review = Filter("review", _code_choices(code for code in REVIEW_NAMES if code in reviews))
        looks = set(self._looks.values())
        self.look = Filter("look", _code_choices(code for code in LOOK_STATES if code in looks))
        self.work = Filter(
            "work", _first_choices({str(match.work_id): match.work_title for match in matches})
        )
        self.site = Filter(
            "site", _first_choices({match.site: match.site for match in sorted(matches, key=_site_class)})
        )

    @property
    def rules(self) -> str:
        """The style rules of all filters."""
        return "".join(rule.rules for rule in (self.verdict, self.review, self.look, self.work, self.site))

    def case_classes(self, case: CaseReport) -> str:
        """Return the classes of a case, which are the classes of all its matches."""
        return self._classes([entry.match for entry in case.matches])

    def match_classes(self, match: Match) -> str:
        """Return the classes of a match."""
        return self._classes([match])

    def _classes(self, matches: list[Match]) -> str:
        names = [
            *self.verdict.classes(match.verdict for match in matches),
            *self.review.classes(_review_class(match) for match in matches),
            *self.look.classes(self._looks.get(match.id, "") for match in matches),
            *self.work.classes(str(match.work_id) for match in matches),
            *self.site.classes(match.site for match in matches),
        ]
        if any(self._report.is_new(match) for match in matches):
            names.append("new")
        return " ".join(["entry", *names])


def _review_class(match: Match) -> str:
    return match.review or "open"


def _site_class(match: Match) -> str:
    return match.site


def _code_choices(codes: Iterable[str]) -> dict[str, str]:
    return {code: code for code in codes}


def _first_choices(choices: dict[str, str]) -> dict[str, str]:
    return dict(list(choices.items())[:MAX_CHOICES])
