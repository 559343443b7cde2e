"""The filter of a list of cases, as its address contains it. Pure.

``chars``, ``pages`` and the shares accept bounds such as ``>70``, ``100..500`` and ``>=3, <9``. An impossible
bound is an error, and never means "everything".
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import tzinfo
from typing import Literal, cast

from analysis.console.parts.filter_values import BadFilter, among, since_of, until_of
from analysis.queries.cases import CaseQuery
from analysis.queries.comparisons import comparisons
from storage.records import CASE_STATES, VERDICTS, CaseState, Verdict

UNASSIGNED = "-"  # value of ``assignee`` for cases without one
LEADS = "leads"  # value of ``verdict`` for copies and partial copies without a licence
_MAX_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseListFilter:
    """The filter in the address of a list of cases; empty: no condition.

    Attributes:
        work: title or id of their work.
        assignee: who works on them; :data:`UNASSIGNED`: cases without one.
        verdict: one of the verdicts, or :data:`LEADS`.
        overdue: ``1``: only what is past its deadline.
        since, until: days of their first sight, both part of the time: ``2026-11-23``; since may be a moment.
        order: ``newest``; else the gravest first.
    """

    work: str = ""
    site: str = ""
    holder: str = ""
    state: str = ""
    verdict: str = ""
    assignee: str = ""
    overdue: str = ""
    chars: str = ""
    pages: str = ""
    page_share: str = ""
    work_share: str = ""
    since: str = ""
    until: str = ""
    order: str = ""

    def parameters(self) -> dict[str, str | int | None]:
        """Return the conditions that are not empty, as parameters of an address."""
        named = {field.name: str(getattr(self, field.name)) for field in fields(self)}
        return {name: value for name, value in named.items() if value}

    @property
    def is_empty(self) -> bool:
        """Whether there is no condition."""
        return not self.parameters()

    def wanted(self, zone: tzinfo, *, work: int | None = None) -> CaseQuery:
        """Return the filter in the form that :func:`analysis.queries.cases.list_cases` needs.

        Args:
            zone: in which days begin and end.
            work: id of the work, where one is asked for.

        Raises:
            BadFilter, BadComparison: a value cannot be.
        """
        for name, value in self.parameters().items():
            if len(str(value)) > _MAX_CHARS:
                raise BadFilter(name=name, text=str(value)[:50])
        verdict = among("verdict", self.verdict, (*VERDICTS, LEADS))
        state = among("state", self.state, CASE_STATES)
        among("order", self.order, ("newest", "gravest"))
        among("overdue", self.overdue, ("1",))
        return CaseQuery(
            work=work,
            site=self.site.strip(),
            holder=self.holder.strip(),
            state=cast("CaseState", state) if state else None,
            verdict=cast("Verdict", verdict) if verdict and verdict != LEADS else None,
            leads=verdict == LEADS,
            assignee=_assignee(self.assignee),
            overdue=bool(self.overdue),
            chars=comparisons(self.chars),
            pages=comparisons(self.pages),
            page_share=comparisons(self.page_share, is_share=True),
            work_share=comparisons(self.work_share, is_share=True),
            since=since_of("since", self.since, zone),
            until=until_of("until", self.until, zone),
            order=cast("Literal['gravest', 'newest']", self.order or "gravest"),
        )


def filter_of(parameters: Mapping[str, str]) -> CaseListFilter:
    """Return the filter of an address; other parameters are ignored."""
    names = {field.name for field in fields(CaseListFilter)}
    return CaseListFilter(**{name: value for name, value in parameters.items() if name in names})


def _assignee(value: str) -> str | None:
    assignee = value.strip()
    return None if not assignee else "" if assignee == UNASSIGNED else assignee
