"""The share of a text that is copied, as in the summary of a similarity report (知网: 总文字复制比 …). Pure.

Shares refer to the characters of the text; for a page, to its article. Text that several works share with it
counts once in the total. Text outside a page's article has a separate number.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from storage.records import COPIED, Match, Span, meaning_of, union_length
from tracker.comparison import PassageMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The numbers of copied characters in a text.

    Attributes:
        chars: characters of the text.
        total: characters in any stretch, including quotations, retellings and common text, but not
            dismissed ones.
        copied: characters in copied stretches of works that are more than quoted.
        largest: characters in copied stretches of the work with most of them.
        largest_work: title of that work; empty if there is none.
        outside: characters in copied stretches outside the page's article.
    """

    chars: int
    total: int = 0
    copied: int = 0
    largest: int = 0
    largest_work: str = ""
    outside: int = 0

    def of(self, characters: int) -> float:
        """Return a number of characters as a share of the text, 0 to 1."""
        return min(1.0, characters / self.chars) if self.chars else 0.0


def shares_of(chars: int, matches: Iterable[Match | PassageMatch]) -> Shares:
    """Return the copied characters of a text by its matches."""
    everything: list[Span] = []
    copied: list[Span] = []
    outside: list[Span] = []
    by_work: dict[int, tuple[str, list[Span]]] = {}
    for match in matches:
        if match.part == "rest":
            outside += match.spans if match.verdict in COPIED else ()
            continue
        everything += [*match.spans, *match.common]
        if match.verdict not in COPIED:
            continue
        work, title = _work_of(match)
        by_work.setdefault(work, (title, []))[1].extend(match.spans)
        if meaning_of(match.verdict).is_whole:
            copied += match.spans
    largest, title = max(
        ((_covered_length(spans), title) for title, spans in by_work.values()), default=(0, "")
    )
    return Shares(
        chars=chars,
        total=_covered_length(everything),
        copied=_covered_length(copied),
        largest=largest,
        largest_work=title,
        outside=_covered_length(outside),
    )


def joint_shares(matches: Iterable[Match]) -> Shares:
    """Return the copied characters of all pages with matches, as if the pages were one text."""
    by_page: dict[str, list[Match]] = {}
    for match in matches:
        by_page.setdefault(match.page_id, []).append(match)
    pages = [shares_of(of_page[0].page_chars, of_page) for of_page in by_page.values()]
    by_work: dict[int, tuple[str, int]] = {}
    for of_page in by_page.values():
        for work_id in {match.work_id for match in of_page}:
            of_work = shares_of(0, (match for match in of_page if match.work_id == work_id))
            title, characters = by_work.get(work_id, ("", 0))
            by_work[work_id] = (of_work.largest_work or title, characters + of_work.largest)
    largest_work, largest = max(by_work.values(), key=lambda work: work[1], default=("", 0))
    return Shares(
        chars=sum(page.chars for page in pages),
        total=sum(page.total for page in pages),
        copied=sum(page.copied for page in pages),
        largest=largest,
        largest_work=largest_work,
        outside=sum(page.outside for page in pages),
    )


def _work_of(match: Match | PassageMatch) -> tuple[int, str]:
    if isinstance(match, Match):
        return match.work_id, match.work_title
    return match.work.book_id, match.work.title


def _covered_length(spans: Iterable[Span]) -> int:
    return union_length((span.page_start, span.page_end) for span in spans)
