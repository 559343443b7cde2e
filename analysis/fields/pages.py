"""The fields of a page: fields of ``--json`` and of the API, columns of the console's table.

A new field is one entry of :data:`PAGE_FIELDS`.
"""

from operator import attrgetter
from typing import Any

from analysis.fields.field import Field, Surface, fields_on
from analysis.words import labels
from analysis.words.background import background_as_object
from analysis.words.i18n import N_
from analysis.words.imports import import_as_object
from storage.records import Page, PageKind, PageStanding, PageState, Verdict

_PROGRAMS: frozenset[Surface] = frozenset({"json", "api"})
_ANSWER: frozenset[Surface] = frozenset({"api"})
_OBJECT: frozenset[Surface] = frozenset({"json"})
_LIST: frozenset[Surface] = frozenset({"list"})


def _page(name: str, label: str, on: frozenset[Surface], read: Any = None, **options: Any) -> Field[Page]:
    """Describe a field. Without ``read``, the value is the attribute with this name."""
    reader = read or attrgetter(name)
    return Field(name=name, label=label, on=on, read=reader, needs="pages:read", **options)


PAGE_FIELDS: tuple[Field[Page], ...] = (
    _page("id", "", _PROGRAMS),
    _page("title", N_("Title"), _PROGRAMS | _LIST),
    _page("url", N_("Address"), _ANSWER | _LIST),
    _page("host", "", _ANSWER),
    _page("site", "", _ANSWER),
    _page("source", "", _ANSWER),
    _page("standing", "", _PROGRAMS, format="code", words=labels.STANDINGS, type=PageStanding),
    _page("replaced", "", _OBJECT, format="moment"),
    _page("reread_of", "", _OBJECT),
    _page("kind", N_("Kind"), _PROGRAMS | _LIST, format="code", words=labels.PAGE_KINDS, type=PageKind),
    _page("author", "", _ANSWER, is_optional=True),
    _page("characters", "", _OBJECT, lambda page: len(page.text), format="number"),
    _page("rest_characters", "", _OBJECT, lambda page: len(page.rest), format="number"),
    _page("state", N_("Result"), _ANSWER | _LIST, format="code", words=labels.PAGE_STATES, type=PageState),
    _page("reason", "", _PROGRAMS, format="reason"),
    _page("verdict", "", _PROGRAMS, format="code", words=labels.VERDICTS, type=Verdict, is_optional=True),
    _page("coverage", "", _ANSWER, format="share"),
    _page("copied_chars", "", _ANSWER, format="number"),
    _page("low_confidence", "", _ANSWER, format="truth"),
    _page(
        "rest_verdict",
        "",
        _ANSWER,
        format="code",
        words=labels.VERDICTS,
        type=Verdict,
        is_optional=True,
        description="the gravest verdict on a match outside the article",
    ),
    _page(
        "is_doubtful",
        "",
        _ANSWER,
        format="truth",
        description="the verdict rests on text outside the article alone",
    ),
    _page(
        "unread",
        "",
        _PROGRAMS,
        format="records",
        plain=dict,
        description="what could not be compared: reason → characters, or a number of frames, scripts …",
    ),
    _page(
        "background",
        "",
        _OBJECT,
        lambda page: [background_as_object(text) for text in page.background],
        format="records",
    ),
    _page("fetched", "", _OBJECT, format="moment"),
    _page("published", "", _PROGRAMS, format="claimed"),
    _page("first_seen", "", _PROGRAMS, format="moment"),
    _page("last_seen", N_("Last seen"), _PROGRAMS | _LIST, format="moment"),
    _page("scan_id", "", _ANSWER),
    _page("snapshots", "", _OBJECT, format="texts"),
    _page(
        "imported",
        "",
        _OBJECT,
        format="records",
        plain=import_as_object,
        is_optional=True,
        description="the file that the version comes from, if pindna did not fetch it",
    ),
)

JSON_FIELDS = fields_on(
    "json",
    PAGE_FIELDS,
    order="id standing replaced reread_of kind title characters rest_characters unread verdict background"
    " reason fetched published first_seen last_seen snapshots imported",
)
API_FIELDS = fields_on(
    "api",
    PAGE_FIELDS,
    order="id url host site source kind title author published first_seen last_seen scan_id standing state"
    " reason verdict coverage copied_chars low_confidence rest_verdict is_doubtful unread",
)
LIST_FIELDS = fields_on("list", PAGE_FIELDS, order="title url kind state last_seen")
