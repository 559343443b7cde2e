"""Whether a site refuses us: judged over the last answers, so that one odd page is no ban. Pure.

Refusals are statuses that say so, and pages that are a captcha, a login wall or a ban page. A single refusal
among good answers is that page's own; many in a row are a ban, and hammering on makes it worse. Sudden
emptiness (texts, then nothing but empty pages) counts too.
"""

from collections import deque

_STATUSES = frozenset({401, 403, 407, 418, 429, 503, 509, 521, 999})
_WINDOW = 12
_REFUSED = 8  # of the last answers
_IN_A_ROW = 5  # at the very beginning: nobody was let in
_EMPTY = 12  # all of the window, after texts


class Refusals:
    """The last answers of one site's texts."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=_WINDOW)
        self._texts = 0
        self._answers = 0

    def note(self, *, kind: str, status: int) -> str | None:
        """Take an answer into account; returns the reason when it makes a ban.

        Args:
            kind: the page's kind, ``error`` for a failure.
            status: of the answer, 0 when none came.
        """
        self._answers += 1
        refused = self._word(kind, status)
        self._last.append(refused)
        self._texts += refused == ""
        return self._verdict()

    def _verdict(self) -> str | None:
        refusals = [each for each in self._last if each not in ("", "empty")]
        if len(refusals) >= _REFUSED or (self._texts == 0 and self._answers == len(refusals) >= _IN_A_ROW):
            return max(set(refusals), key=refusals.count)
        if self._texts and list(self._last) == ["empty"] * _EMPTY:
            return "empty"
        return None

    @staticmethod
    def _word(kind: str, status: int) -> str:
        if kind == "blocked":
            return "blocked"
        if kind == "error":
            return f"http-{status}" if status in _STATUSES else "empty" if status == 0 else ""
        return "empty" if kind == "empty" else ""
