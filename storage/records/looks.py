"""Looks at addresses with a match, and whether a text is still up according to these looks."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

LookState = Literal["up", "changed", "gone", "restricted", "moved", "unreachable"]
LOOK_STATES: tuple[LookState, ...] = get_args(LookState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The result of one scan, or one round of the takedown watch, at one address; never changed or deleted.

    The address has a match, or is a neighbour: a page without a match that shows whether its site works.

    Attributes:
        id: address and scan, see :func:`storage.collections.looks.look_id`.
        url: canonical, as requested.
        page_id: the version with the match.
        answer_id: the version that was returned; empty: none.
        state: ``up``: the same text, or another text with the copied stretches; ``changed``: another text, or
            an unrecognisable one; ``gone``: 404, 410, 451, an error page, or the front page instead;
            ``restricted``: a login or a paywall; ``moved``: another address returns the text;
            ``unreachable``: no result, which is not evidence of absence.
        scan_id: of the scan or the round.
        status: HTTP status; 0 without an answer.
        reason: a reason code of failed pages; empty for ``up``.
        moved_to: the address that returned the text.
    """

    id: str
    url: str
    page_id: str
    state: LookState
    scan_id: str
    source: str
    at: datetime = field(default_factory=utc_now)
    answer_id: str = ""
    status: int = 0
    reason: str = ""
    moved_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Whether a text is still up, according to all looks at its address so far.

    Attributes:
        state: state of the last look.
        checked: time of the last look.
        seen: time of the last look that saw the text; None: not known.
        absent_since: time of the first later look that found the text gone; None while it is up.
        reason: of the last look.
        moved_to: the address that returned the text in the last look.
    """

    state: LookState
    checked: datetime
    seen: datetime | None = None
    absent_since: datetime | None = None
    reason: str = ""
    moved_to: str = ""
