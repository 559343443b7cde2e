"""What looks at addresses with a match saw, and what they amount to."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

LookState = Literal["up", "changed", "gone", "restricted", "moved", "unreachable"]
LOOK_STATES: tuple[LookState, ...] = get_args(LookState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one scan, or one round of the takedown watch, saw at an address; never changed or deleted.

    The address has a match, or is a neighbour: a page without one that shows whether its site is well.

    Attributes:
        id: address and scan, see :func:`storage.collections.looks.look_id`.
        url: canonical, as it was asked for.
        page_id: the version with the match, which was looked for.
        answer_id: the version that answered; empty when none did.
        state: ``up``: the same text, or another one that still has the copied stretches; ``changed``: another
            text, or none that could be told from one; ``gone``: 404, 410, 451, a page that says so, or the
            front page in its place; ``restricted``: a login or a paywall; ``moved``: another address answers
            with the text; ``unreachable``: nothing was learnt, so it says nothing of absence.
        scan_id: of the scan or the round.
        status: of the HTTP answer; 0 without one.
        reason: why, in the words of failed pages; empty for ``up``.
        moved_to: the address that answered instead.
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
    """Whether a text is still up, by all looks at its address so far.

    Attributes:
        state: as the last look saw it.
        checked: the last look, whatever it saw.
        seen: the last one that saw the text; None when that is not known.
        absent_since: the first one since then that found it gone; None while it is not.
        reason: of the last look.
        moved_to: the address that answered the last look instead.
    """

    state: LookState
    checked: datetime
    seen: datetime | None = None
    absent_since: datetime | None = None
    reason: str = ""
    moved_to: str = ""
