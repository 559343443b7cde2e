"""Whether a site has banned us, judged over its last answers, so that one odd page is no ban. Pure.

Refusals are statuses that say so, and pages that are a captcha or a ban page. A single refusal among good
answers is that page's own; many in a row are a ban, and hammering on makes it worse. A page that asks for a
login or for money refuses us when several addresses answer with the same one; else it is that page's own.
Sudden emptiness (texts, then nothing but pages without a word) counts too.
"""

from collections import deque
from dataclasses import dataclass
from typing import Literal, assert_never

_REFUSAL_STATUSES = frozenset({401, 403, 407, 418, 429, 503, 509, 521, 999})
_WINDOW = 12
_MIN_REFUSED = 8  # of the last answers
_MIN_FIRST_REFUSED = 5  # answers, when there was no other one
_EMPTY_IN_A_ROW = 12  # all of the window, after texts


# What an answer is: a page with words; one without any; a captcha or a ban page; one that asks for a login
# or for money; a failure.
AnswerSort = Literal["words", "nothing", "wall", "request", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAnswer:
    """What an answer shows about whether its site lets us in.

    Attributes:
        status: 0 when none came.
        digest: of the words of the page.
    """

    sort: AnswerSort
    status: int = 200
    digest: str = ""


class BanDetector:
    """The last answers of one site's texts."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=_WINDOW)
        self._walls: deque[str] = deque(maxlen=_WINDOW)  # digests of pages that ask for something
        self._texts = 0
        self._answers = 0

    def record_answer(self, answer: SiteAnswer) -> str | None:
        """Take an answer into account; returns the reason when it makes a ban."""
        self._answers += 1
        refusal = self._refusal_of(answer)
        self._last.append(refusal)
        self._texts += refusal == ""
        return self._verdict()

    def _verdict(self) -> str | None:
        refusals = [refusal for refusal in self._last if refusal not in ("", "empty")]
        if len(refusals) >= _MIN_REFUSED or (
            self._texts == 0 and self._answers == len(refusals) >= _MIN_FIRST_REFUSED
        ):
            return max(set(refusals), key=refusals.count)
        if self._texts and list(self._last) == ["empty"] * _EMPTY_IN_A_ROW:
            return "empty"
        return None

    def _refusal_of(self, answer: SiteAnswer) -> str:
        """Return the refusal that an answer is, ``empty`` for one without words; empty for a good answer."""
        match answer.sort:
            case "wall":
                return "blocked"
            case "request":
                return "blocked" if self._is_repeated(answer.digest) else ""
            case "error":
                is_refusal = answer.status in _REFUSAL_STATUSES
                return f"http-{answer.status}" if is_refusal else "empty" if answer.status == 0 else ""
            case "nothing":
                return "empty"
            case "words":
                return ""
        assert_never(answer.sort)

    def _is_repeated(self, digest: str) -> bool:
        """Return whether one of the last requests for a login or for money was the same page."""
        is_repeated = digest in self._walls
        self._walls.append(digest)
        return is_repeated
