"""The fields of a match: columns of CSV and workbooks, fields of ``--json`` and of the API, figures, facts.

A new field is one entry of :data:`MATCH_FIELDS`. Columns of CSV are in the order of the entries. Every other
surface may list fields that come first; the remaining fields follow in the order of the entries.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from analysis.fields.field import Field, Surface, fields_on
from analysis.fields.match_row import (
    MatchRow,
    background_cell,
    decision_object,
    homophone_cell,
    of_case,
    of_match,
    of_page,
    of_presence,
    place_cell,
    reasons_of,
)
from analysis.words import labels
from analysis.words.i18n import N_
from analysis.words.page_texts import pieces_as_objects
from analysis.words.posts import post_text
from storage.records import LicenceState, MatchPart, Precedence, Verdict
from tracker.review.versions import review_version

_TABLE: frozenset[Surface] = frozenset({"csv"})
_PROGRAMS: frozenset[Surface] = frozenset({"json", "api"})
_ANSWER: frozenset[Surface] = frozenset({"api"})
_OBJECT: frozenset[Surface] = frozenset({"json"})
_TERMINAL: frozenset[Surface] = frozenset({"terminal"})
_FINDS: frozenset[Surface] = frozenset({"finds"})
_CASE: frozenset[Surface] = frozenset({"case"})
_LISTS = _TERMINAL | _FINDS | _CASE
_FACTS: frozenset[Surface] = frozenset({"facts"})
_FIGURE: frozenset[Surface] = frozenset({"figures"})


def _match(
    name: str, label: str, on: frozenset[Surface], read: Any = None, **options: Any
) -> Field[MatchRow]:
    """Describe a field of the match. Without ``read``, the value is the attribute with this name."""
    reader = read or attrgetter(name)
    return Field(name=name, label=label, on=on, read=of_match(reader), needs="matches:read", **options)


def _case(name: str, label: str, read: Any, **options: Any) -> Field[MatchRow]:
    return Field(name=name, label=label, on=_TABLE, read=of_case(read), needs="cases:read", **options)


def _look(name: str, label: str, read: Any, **options: Any) -> Field[MatchRow]:
    return Field(name=name, label=label, on=_TABLE, read=of_presence(read), needs="matches:read", **options)


def _page(name: str, label: str, read: Any, **options: Any) -> Field[MatchRow]:
    return Field(name=name, label=label, on=_TABLE, read=of_page(read), needs="evidence:read", **options)


_NAME: Mapping[Surface, str] = {"json": "name", "api": "name"}

MATCH_FIELDS: tuple[Field[MatchRow], ...] = (
    _match("id", "", _PROGRAMS),
    _match("page_id", "", _ANSWER),
    _match("passage_id", "", _ANSWER, format="number"),
    _match("work_id", N_("Id of the work"), _TABLE | _ANSWER, format="number"),
    _match(
        "work",
        N_("Work"),
        _TABLE | _PROGRAMS | _FINDS | _TERMINAL,
        lambda match: match.work_title,
        named={"api": "work_title"},
        labelled={"terminal": N_("work")},
    ),
    _match(
        "passage",
        N_("Passage"),
        _TABLE | _PROGRAMS | _CASE,
        lambda match: match.passage_title,
        named={"api": "passage_title"},
    ),
    _match("site", N_("Site"), _TABLE | _PROGRAMS | _FINDS),
    _match("url", N_("Address"), _TABLE | _PROGRAMS),
    _match(
        "page_title",
        N_("Title of the page"),
        _TABLE | _ANSWER | _LISTS,
        labelled={"terminal": N_("page"), "finds": N_("Page"), "case": N_("Page")},
    ),
    _match(
        "verdict",
        N_("Verdict"),
        _TABLE | _PROGRAMS | _LISTS,
        format="code",
        words=labels.VERDICTS,
        type=Verdict,
        labelled={"terminal": N_("verdict")},
    ),
    _match("low_confidence", N_("Low confidence"), _TABLE, format="truth"),
    _match(
        "coverage",
        N_("Coverage of the page"),
        _TABLE | _PROGRAMS | _FIGURE | _LISTS,
        format="share",
        labelled={"terminal": N_("share"), "finds": N_("Share"), "case": N_("Share of the page")},
    ),
    _match("passage_coverage", N_("Coverage of the passage"), _TABLE | _PROGRAMS | _FIGURE, format="share"),
    _match(
        "copied_chars",
        N_("Copied characters"),
        _TABLE | _PROGRAMS | _FIGURE | _LISTS,
        format="number",
        labelled={"terminal": N_("characters"), "finds": N_("Characters"), "case": N_("Characters")},
    ),
    _match("longest_span", N_("Longest stretch"), _TABLE | _ANSWER | _FIGURE, format="number"),
    _match("char_identity", N_("Character identity"), _TABLE | _ANSWER | _FIGURE, format="share"),
    _match("sound_identity", N_("Sound identity"), _TABLE | _ANSWER | _FIGURE, format="share"),
    _match("disguises", N_("Disguises"), _TABLE | _ANSWER | _FINDS, format="codes", words=labels.DISGUISES),
    _match("spans", N_("Stretches"), _TABLE, format="records"),
    _match("profile", N_("Profile"), _TABLE | _ANSWER),
    _match(
        "licence", N_("Licence"), _TABLE | _PROGRAMS, format="code", words=labels.LICENCES, type=LicenceState
    ),
    _match("page_older", N_("The page is older than the work"), _TABLE | _PROGRAMS, format="truth"),
    _match(
        "page_older_by",
        N_("Based on"),
        _TABLE | _PROGRAMS,
        format="code",
        words=labels.DATES,
        type=Precedence,
        plain=lambda code: code or None,
    ),
    _match("work_published", N_("Publication date of the work"), _TABLE | _PROGRAMS, format="claimed"),
    _match("page_published", N_("Publication date of the page"), _TABLE | _PROGRAMS, format="claimed"),
    _match("first_seen", N_("First seen"), _TABLE | _PROGRAMS | _CASE | _FINDS, format="moment"),
    _match("last_seen", N_("Last seen"), _TABLE | _PROGRAMS, format="moment"),
    _match(
        "review",
        N_("Review"),
        _TABLE | _PROGRAMS | _LISTS,
        format="review",
        description="open, confirmed, dismissed or doubtful",
        labelled={"terminal": N_("state"), "finds": N_("State"), "case": N_("Decision")},
    ),
    _match(
        "version",
        "",
        _ANSWER,
        review_version,
        description="of what was decided about it; see `seen` of a decision",
    ),
    _match(
        "common_stretches",
        N_("Stretches of common text"),
        _TABLE,
        lambda match: match.common,
        format="records",
    ),
    _match(
        "dismissed_stretches",
        N_("Dismissed stretches"),
        _TABLE,
        lambda match: match.suppressed,
        format="records",
    ),
    _match(
        "dismissed_because",
        N_("Reasons for dismissal"),
        _TABLE,
        lambda match: reasons_of(match.suppressed),
        format="texts",
    ),
    _match(
        "review_because",
        N_("Reason of the decision"),
        _TABLE | _PROGRAMS,
        lambda match: match.because,
        named={"json": "because", "api": "because"},
    ),
    _match("review_by", N_("Decided by"), _TABLE, lambda match: match.decided_by, format="texts"),
    _match("reviewed", "", _PROGRAMS, format="moment", is_optional=True),
    _match(
        "review_inherited",
        N_("Decided on an earlier version"),
        _TABLE | _OBJECT,
        lambda match: match.inherited is not None,
        format="truth",
        named={"json": "inherited"},
    ),
    _match(
        "match",
        N_("Match"),
        _TABLE | _PROGRAMS | _LISTS,
        lambda match: match.name,
        named={"json": "name", "api": "name"},
        labelled={"terminal": N_("id"), "finds": N_("Find")},
    ),
    _match(
        "decisions",
        "",
        _OBJECT,
        lambda match: [decision_object(decided, match) for decided in match.decided],
        format="records",
    ),
    _match(
        "undecided",
        "",
        _OBJECT,
        lambda match: [list(stretch) for stretch in match.undecided],
        format="records",
    ),
    _case("case", N_("Case"), lambda case: case.name),
    _look("last_look", N_("Last check"), lambda look: look.state, format="code", words=labels.LOOKS),
    _look("last_check", N_("Time of the last check"), lambda look: look.checked, format="moment"),
    _look("absent_since", N_("Gone since"), lambda look: look.absent_since, format="moment"),
    _look("look_reason", N_("Reason of the last check"), lambda look: look.reason, format="reason"),
    _look("moved_to", N_("Moved to"), lambda look: look.moved_to),
    _page("older_versions", N_("Older versions"), lambda page: page.older_versions, format="number"),
    _case(
        "case_status",
        N_("State of the case"),
        lambda case: case.state,
        format="code",
        words=labels.CASE_STATES,
    ),
    _page("content_hash", N_("SHA-256 of the text"), lambda page: page.content_hash),
    _page("snapshots", N_("SHA-256 of the response"), lambda page: " ".join(page.snapshots)),
    _page(
        "capture_digests",
        N_("Digest of the capture"),
        lambda page: " ".join(capture.digest for capture in page.captures if capture.digest),
    ),
    _page(
        "evidence",
        N_("Evidence"),
        lambda page: tuple(dict.fromkeys(capture.state for capture in page.captures)),
        format="codes",
        words=labels.CAPTURE_STATES,
    ),
    _match("edition", N_("Edition"), _TABLE | _PROGRAMS),
    _match(
        "homophones",
        N_("Homophones (the page's / the work's)"),
        _TABLE,
        lambda match: list(map(homophone_cell, match.homophones)),
        format="texts",
    ),
    Field(
        name="background",
        label=N_("Background texts"),
        on=_TABLE,
        read=lambda row: list(map(background_cell, row.background)),
        format="texts",
        needs="matches:read",
    ),
    _match("posts", N_("Posts"), _TABLE, lambda match: list(map(post_text, match.posts)), format="texts"),
    _match(
        "part",
        N_("Where on the page"),
        _TABLE | _PROGRAMS,
        format="code",
        words=labels.MATCH_PARTS,
        type=MatchPart,
        description="`rest`: outside the page's article; a person must check it",
    ),
    _match(
        "found_in",
        N_("Positions outside the article"),
        _TABLE | _PROGRAMS,
        format="records",
        cell=lambda pieces: "; ".join(map(place_cell, pieces)),
        plain=pieces_as_objects,
        description="of a match in the rest: where on the page it is",
    ),
    _match(
        "information_bits",
        N_("Information (bits)"),
        _TABLE | _PROGRAMS | _FIGURE | _FACTS,
        format="number",
        is_optional=True,
        type=int,
        description="of the copied characters: prose has five to eight bits a character, formulas one",
    ),
    _match(
        "also_contained",
        N_("Also contained"),
        _TABLE | _PROGRAMS,
        format="truth",
        description="the page has most of the work, but its text counts for another work",
    ),
)

CSV_FIELDS = fields_on("csv", MATCH_FIELDS)
JSON_FIELDS = fields_on(
    "json",
    MATCH_FIELDS,
    order="id name work edition passage site url verdict coverage passage_coverage copied_chars"
    " information_bits part found_in licence page_older page_older_by work_published page_published"
    " first_seen last_seen review because reviewed inherited decisions undecided",
)
API_FIELDS = fields_on(
    "api",
    MATCH_FIELDS,
    order="id name page_id passage_id work_id work_title edition passage_title site url page_title profile"
    " verdict coverage passage_coverage copied_chars information_bits longest_span char_identity"
    " sound_identity disguises part found_in licence page_older page_older_by work_published"
    " page_published review version because reviewed first_seen last_seen",
)
FIGURE_FIELDS = fields_on(
    "figures",
    MATCH_FIELDS,
    order="coverage passage_coverage char_identity sound_identity copied_chars information_bits longest_span",
)
FACT_FIELDS = fields_on("facts", MATCH_FIELDS)
TERMINAL_FIELDS = fields_on(
    "terminal", MATCH_FIELDS, order="match verdict review copied_chars coverage work page_title"
)
FINDS_FIELDS = fields_on(
    "finds",
    MATCH_FIELDS,
    order="match page_title site work verdict review copied_chars coverage disguises first_seen",
)
IN_CASE_FIELDS = fields_on(
    "case", MATCH_FIELDS, order="match page_title passage verdict review copied_chars coverage first_seen"
)
