"""Detects bans from the last answers of a site. Pure.

A refusal is a refusing status, a captcha or a ban page. One refusal among good answers concerns only its
page; many in a row are a ban, and more requests would make it worse. A page that asks for a login or for
money is a refusal only if several addresses answer with the same page. A series of pages without any word
after texts is a ban, too.
"""

from collections import deque
from dataclasses import dataclass
from typing import Literal, assert_never

_REFUSAL_STATUSES = frozenset({401, 403, 407, 418, 429, 503, 509, 521, 999})
_WINDOW = 12
_MIN_REFUSED = 8  # minimum number of refusals in the window
_MIN_FIRST_REFUSED = 5  # minimum number of refusals if all answers so far were refusals
_EMPTY_IN_A_ROW = 12  # number of pages without a word in a row, after pages with texts


# Kinds of answers: a page with words; a page without words; a captcha or ban page; a page that asks for a
# login or for money; a failure.
AnswerSort = Literal["words", "nothing", "wall", "request", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAnswer:
    """An answer as evidence for or against a ban.

    Attributes:
        status: HTTP status; 0 without an answer.
        digest: hash of the words of the page.
    """

    sort: AnswerSort
    status: int = 200
    digest: str = ""


class BanDetector:
    """A window over the last answers of one site."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=_WINDOW)
        self._walls: deque[str] = deque(maxlen=_WINDOW)  # digests of pages that ask for a login or for money
        self._texts = 0
        self._answers = 0

    def record_answer(self, answer: SiteAnswer) -> str | None:
        """Record an answer; return the reason of the ban, if the site has banned us."""
        self._answers += 1
        refusal = self._refusal_of(answer)
        self._last.append(refusal)
        self._texts += refusal == ""
        return self._ban_reason()

    def _ban_reason(self) -> str | None:
        refusals = [refusal for refusal in self._last if refusal not in ("", "empty")]
        if len(refusals) >= _MIN_REFUSED or (
            self._texts == 0 and self._answers == len(refusals) >= _MIN_FIRST_REFUSED
        ):
            return max(set(refusals), key=refusals.count)
        if self._texts and list(self._last) == ["empty"] * _EMPTY_IN_A_ROW:
            return "empty"
        return None

    def _refusal_of(self, answer: SiteAnswer) -> str:
        """Return the reason of a refusal, ``empty`` for an answer without words, ``""`` for a good answer."""
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
        """Return whether a recent request for a login or for money was the same page."""
        is_repeated = digest in self._walls
        self._walls.append(digest)
        return is_repeated
