"""How much of a text is copied, as heads of reports on similarity tell it (知网: 总文字复制比 …). Pure.

Shares are of the characters of the text: of a page, of its article. What two works have in common with it
counts once in the total. Text outside a page's article has a separate number.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from storage.records import Match, Span, meaning_of
from tracker.comparison import PassageMatch
from tracker.judgement.cases import union_length


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How much of a text stands in protected works.

    Attributes:
        chars: of the text.
        total: characters in any stretch, quotations and common text too; what was dismissed is not.
        copied: characters in stretches that count, of works whose passages are more than quoted.
        largest: characters in stretches that count, of the work that has most of them.
        largest_work: that work's title; empty: there is none.
        outside: characters in stretches that count, outside of the page's article.
    """

    chars: int
    total: int = 0
    copied: int = 0
    largest: int = 0
    largest_work: str = ""
    outside: int = 0

    def of(self, characters: int) -> float:
        """Return some characters as a share of the text, 0 to 1."""
        return min(1.0, characters / self.chars) if self.chars else 0.0


def shares_of(chars: int, matches: Iterable[Match | PassageMatch]) -> Shares:
    """Return how much of a text of some characters its matches say is copied."""
    everything: list[Span] = []
    copied: list[Span] = []
    outside: list[Span] = []
    by_work: dict[int, tuple[str, list[Span]]] = {}
    for match in matches:
        if match.part == "rest":
            outside += match.spans if match.verdict != "common" else ()
            continue
        everything += [*match.spans, *match.common]
        if match.verdict == "common":
            continue
        work, title = _work_of(match)
        by_work.setdefault(work, (title, []))[1].extend(match.spans)
        if meaning_of(match.verdict).is_whole:
            copied += match.spans
    largest, title = max(((_length(spans), title) for title, spans in by_work.values()), default=(0, ""))
    return Shares(
        chars=chars,
        total=_length(everything),
        copied=_length(copied),
        largest=largest,
        largest_work=title,
        outside=_length(outside),
    )


def _work_of(match: Match | PassageMatch) -> tuple[int, str]:
    if isinstance(match, Match):
        return match.work_id, match.work_title
    return match.work.book_id, match.work.title


def _length(spans: Iterable[Span]) -> int:
    return union_length((span.page_start, span.page_end) for span in spans)
