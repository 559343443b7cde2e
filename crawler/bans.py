"""Whether a site has banned us, judged over its last answers, so that one odd page is no ban. Pure.

Refusals are statuses that say so, and pages that are a captcha, a login wall or a ban page. A single refusal
among good answers is that page's own; many in a row are a ban, and hammering on makes it worse. Sudden
emptiness (texts, then nothing but empty pages) counts too.
"""

from collections import deque

_REFUSAL_STATUSES = frozenset({401, 403, 407, 418, 429, 503, 509, 521, 999})
_WINDOW = 12
_MIN_REFUSED = 8  # of the last answers
_MIN_FIRST_REFUSED = 5  # answers, when there was no other one
_EMPTY_IN_A_ROW = 12  # all of the window, after texts


class BanDetector:
    """The last answers of one site's texts."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=_WINDOW)
        self._texts = 0
        self._answers = 0

    def note_answer(self, *, kind: str, status: int) -> str | None:
        """Take an answer into account; returns the reason when it makes a ban.

        Args:
            kind: the page's kind, ``error`` for a failure.
            status: of the answer, 0 when none came.
        """
        self._answers += 1
        refusal = self._refusal_of(kind, status)
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

    @staticmethod
    def _refusal_of(kind: str, status: int) -> str:
        """Return the refusal that an answer is, ``empty`` for one without a text; empty for a good answer."""
        if kind == "blocked":
            return "blocked"
        if kind == "error":
            return f"http-{status}" if status in _REFUSAL_STATUSES else "empty" if status == 0 else ""
        return "empty" if kind == "empty" else ""
