"""Joins the texts of consecutive pages. Pure."""

from collections.abc import Sequence

_SENTENCE_ENDS = frozenset("。！？…”’」』）)》】!?.~—；;：:")
_MAX_OVERLAP = 20  # lines that two parts may share


def join_texts(texts: Sequence[str]) -> str:
    """Return the text of consecutive pages.

    Lines that end one part and begin the next are kept once, as is a heading repeated on each part; a
    sentence cut at the end of a part continues without a break.
    """
    joined: list[str] = []
    for text in texts:
        lines = [line for line in text.split("\n") if line]
        lines = lines[_overlap(joined, lines) :]
        if joined and lines and lines[0] == joined[0]:
            lines = lines[1:]
        if joined and lines and joined[-1][-1] not in _SENTENCE_ENDS:
            joined[-1] += lines.pop(0)
        joined += lines
    return "\n".join(joined)


def _overlap(joined: list[str], lines: list[str]) -> int:
    """Return how many lines end ``joined`` and begin ``lines``."""
    longest = min(len(joined), len(lines), _MAX_OVERLAP)
    return next((size for size in range(longest, 0, -1) if joined[-size:] == lines[:size]), 0)
