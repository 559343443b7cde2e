"""The fields of a case: columns of workbooks and tables, fields of ``--json`` and of the API.

A new field is one entry of :data:`CASE_FIELDS`. Columns of workbooks are in the order of the entries. Every
other surface may list fields that come first; the remaining fields follow in the order of the entries.
"""

from operator import attrgetter
from typing import Any

from analysis.fields.case_row import CaseRow, of_case, priority_object, review_counts
from analysis.fields.field import Field, Surface, fields_on
from analysis.words import labels
from analysis.words.i18n import N_, NC_
from storage.records import CaseState, Verdict

_TABLE: frozenset[Surface] = frozenset({"csv"})
_PROGRAMS: frozenset[Surface] = frozenset({"json", "api"})
_ANSWER: frozenset[Surface] = frozenset({"api"})
_OBJECT: frozenset[Surface] = frozenset({"json"})
_TERMINAL: frozenset[Surface] = frozenset({"terminal"})
_LIST: frozenset[Surface] = frozenset({"list"})
_FACTS: frozenset[Surface] = frozenset({"facts"})
_LISTS = _TERMINAL | _LIST


def _case(name: str, label: str, on: frozenset[Surface], read: Any = None, **options: Any) -> Field[CaseRow]:
    """Describe a field of the case. Without ``read``, the value is the attribute with this name."""
    reader = read or attrgetter(name)
    return Field(name=name, label=label, on=on, read=of_case(reader), needs="cases:read", **options)


def _row(name: str, label: str, on: frozenset[Surface], read: Any, **options: Any) -> Field[CaseRow]:
    return Field(name=name, label=label, on=on, read=read, needs="cases:read", **options)


CASE_FIELDS: tuple[Field[CaseRow], ...] = (
    _case("id", "", _PROGRAMS),
    _case("name", N_("Case"), _TABLE | _PROGRAMS | _LISTS, labelled={"terminal": N_("id")}),
    _case("work_id", "", _PROGRAMS, format="number"),
    _case(
        "work",
        N_("Work"),
        _TABLE | _PROGRAMS | _LISTS | _FACTS,
        lambda case: case.work_title,
        named={"api": "work_title"},
        labelled={"terminal": N_("work")},
    ),
    _row("holder", N_("Rights holder"), _PROGRAMS | _FACTS, lambda row: row.holder),
    _case("site", N_("Site"), _TABLE | _PROGRAMS | _LISTS | _FACTS, labelled={"terminal": N_("site")}),
    _case(
        "verdict",
        N_("Verdict"),
        _TABLE | _PROGRAMS | _LISTS,
        format="code",
        words=labels.VERDICTS,
        type=Verdict,
        labelled={"terminal": N_("verdict")},
    ),
    _case(
        "state",
        N_("State of the case"),
        _TABLE | _PROGRAMS | _LISTS,
        format="code",
        words=labels.CASE_STATES,
        type=CaseState,
        labelled={"terminal": N_("state"), "list": N_("State")},
    ),
    _case("since", "", _PROGRAMS, format="moment", is_optional=True),
    _case("reason", N_("Reason for closing"), _PROGRAMS | _FACTS, format="code", words=labels.CLOSED_BECAUSE),
    _case("assignee", N_("Assigned to"), _TABLE | _PROGRAMS | _LIST, is_internal=True),
    _row(
        "deadline",
        N_("Due"),
        _TABLE | _PROGRAMS | _LIST,
        lambda row: row.deadline,
        format="moment",
        is_optional=True,
        labelled={"list": N_("Deadline")},
    ),
    _row("overdue", N_("Overdue"), _TABLE | _PROGRAMS, lambda row: row.is_overdue, format="truth"),
    _row(
        "priority",
        N_("Priority"),
        _TABLE | _ANSWER | _LISTS | _FACTS,
        lambda row: row.priority,
        format="number",
        labelled={"terminal": N_("priority")},
    ),
    _row("priority", "", _OBJECT, lambda row: row, plain=priority_object),
    _case(
        "pages",
        NC_("count", "Pages"),
        _TABLE | _PROGRAMS | _LISTS,
        format="number",
        labelled={"terminal": N_("pages")},
    ),
    _case("passages", NC_("count", "Passages"), _TABLE | _PROGRAMS, format="number"),
    _case(
        "copied_chars",
        N_("Copied characters"),
        _TABLE | _PROGRAMS | _LISTS | _FACTS,
        format="number",
        labelled={"terminal": N_("characters"), "list": N_("Characters"), "facts": N_("Copied")},
    ),
    _case("page_share", "", _PROGRAMS, format="share"),
    _case("work_share", N_("Copied share"), _PROGRAMS | _FACTS, format="share"),
    _case(
        "reviews",
        NC_("count", "Matches"),
        _PROGRAMS | _FACTS,
        review_counts,
        format="records",
        plain=dict,
    ),
    _case(
        "first_seen",
        N_("First seen"),
        _TABLE | _PROGRAMS | _FACTS,
        format="moment",
        labelled={"facts": N_("Seen")},
    ),
    _case("last_seen", N_("Last seen"), _TABLE | _PROGRAMS, format="moment"),
    _case("looks", N_("At the last check"), _PROGRAMS | _FACTS, format="records", plain=dict),
    _case("checked", "", _PROGRAMS, format="moment", is_optional=True),
    _case("absent_since", N_("Gone since"), _TABLE | _PROGRAMS, format="moment", is_optional=True),
    _case(
        "version",
        "",
        _ANSWER,
        lambda case: case.moves,
        format="number",
        description="grows with each move; see `seen` of a move",
    ),
)

CSV_FIELDS = fields_on("csv", CASE_FIELDS)
JSON_FIELDS = fields_on("json", CASE_FIELDS)
API_FIELDS = fields_on(
    "api",
    CASE_FIELDS,
    order="id name work_id work_title holder site verdict state since reason assignee deadline overdue"
    " priority pages passages copied_chars page_share work_share reviews looks first_seen last_seen checked"
    " absent_since version",
)
TERMINAL_FIELDS = fields_on(
    "terminal", CASE_FIELDS, order="name verdict state priority work site pages copied_chars"
)
LIST_FIELDS = fields_on(
    "list",
    CASE_FIELDS,
    order="name verdict state work site copied_chars pages deadline assignee priority",
)
FACT_FIELDS = fields_on(
    "facts",
    CASE_FIELDS,
    order="work holder site copied_chars work_share reviews first_seen looks reason priority",
)
