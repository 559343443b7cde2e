"""The fields of a work: fields of ``--json`` and of the API, columns of tables, facts of the console.

A new field is one entry of :data:`WORK_FIELDS`.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from analysis.fields.field import Field, Surface, fields_on
from analysis.words import labels
from analysis.words.i18n import N_, NC_
from storage.records import Work, WorkKind, WorkRole, WorkStatus

_PROGRAMS: frozenset[Surface] = frozenset({"json", "api"})
_ANSWER: frozenset[Surface] = frozenset({"api"})
_OBJECT: frozenset[Surface] = frozenset({"json"})
_TERMINAL: frozenset[Surface] = frozenset({"terminal"})
_LIST: frozenset[Surface] = frozenset({"list"})
_FACT: frozenset[Surface] = frozenset({"facts"})
_CHAPTERS: Mapping[Surface, str] = {"terminal": N_("passages"), "list": NC_("count", "Chapters")}


def _work(
    name: str, label: str, on: frozenset[Surface], read: Any = None, *, terminal: str = "", **options: Any
) -> Field[Work]:
    """Describe a field. Without ``read``, the value is the attribute with this name."""
    labelled = options.pop("labelled", {"terminal": terminal} if terminal else {})
    reader = read or attrgetter(name)
    options = {"needs": "works:read", **options}
    return Field(name=name, label=label, on=on, read=reader, labelled=labelled, **options)


WORK_FIELDS: tuple[Field[Work], ...] = (
    _work("id", "", _PROGRAMS | _TERMINAL, format="number", terminal=N_("id")),
    _work("title", N_("Title"), _PROGRAMS | _TERMINAL | _LIST, terminal=N_("title")),
    _work("author", N_("Author"), _PROGRAMS | _LIST | _FACT, is_optional=True),
    _work("holder", N_("Rights holder"), _PROGRAMS | _LIST, is_optional=True),
    _work(
        "kind",
        N_("Kind"),
        _PROGRAMS | _TERMINAL | _FACT,
        format="code",
        words=labels.WORK_KINDS,
        type=WorkKind,
        terminal=N_("kind"),
    ),
    _work("role", N_("Role"), _PROGRAMS | _FACT, format="code", words=labels.WORK_ROLES, type=WorkRole),
    _work("url", "", _PROGRAMS, is_optional=True),
    _work("published", N_("Published"), _PROGRAMS | _FACT, format="claimed"),
    _work("language", N_("Language"), _PROGRAMS | _FACT, is_optional=True),
    _work("rights", N_("Rights"), _PROGRAMS | _FACT, is_optional=True),
    _work(
        "licensed_sites",
        "",
        _OBJECT,
        lambda work: sorted({licence.site for licence in work.permissions}),
        format="texts",
    ),
    _work(
        "status",
        N_("State"),
        _PROGRAMS | _TERMINAL | _LIST,
        format="code",
        words=labels.WORK_STATES,
        type=WorkStatus,
        terminal=N_("status"),
    ),
    _work(
        "passages",
        "",
        _PROGRAMS | _TERMINAL | _LIST,
        lambda work: len(work.passage_ids),
        format="number",
        labelled=_CHAPTERS,
    ),
    _work(
        "characters",
        N_("Characters"),
        _PROGRAMS | _TERMINAL | _LIST | _FACT,
        format="number",
        terminal=N_("characters"),
    ),
    _work("postings", "", _OBJECT, format="number"),
    _work("origin", N_("Loaded from"), _OBJECT | _FACT, needs="works:write"),
    _work("added", N_("Added"), _ANSWER | _FACT, format="moment"),
    _work("updated", "", _ANSWER, format="moment"),
    _work("edition_of", "", _PROGRAMS, format="number", is_optional=True),
    _work("licences", "", _ANSWER, lambda work: work.permissions, format="records"),
)

JSON_FIELDS = fields_on(
    "json",
    WORK_FIELDS,
    order="id title author holder kind role url published language rights licensed_sites origin passages"
    " characters postings status edition_of",
)
API_FIELDS = fields_on(
    "api",
    WORK_FIELDS,
    order="id title kind role status author holder url published language rights edition_of passages"
    " characters licences added updated",
)
TERMINAL_FIELDS = fields_on("terminal", WORK_FIELDS, order="id title kind passages characters status")
LIST_FIELDS = fields_on("list", WORK_FIELDS, order="title author holder status passages characters")
FACT_FIELDS = fields_on("facts", WORK_FIELDS)
