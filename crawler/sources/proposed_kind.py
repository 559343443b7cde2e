"""The kind that a source should have, by the pages that a trial fetched. Pure.

The kind decides which links a crawl follows. A catalogue of chapters under a news source yields a few
articles at best, and the user sees no error.
"""

import re
from collections.abc import Sequence

from crawler.sources.probe import ProbeStep
from fingerprint.text.han import CHAPTER_TITLE
from storage.records import SourceKind

_FEWEST_LINES = 5  # lines such as 第一章 on a page; an article quotes fewer
_FEWEST_TEXTS = 2
_LINE = re.compile(r">\s*([^<>]{2,60})<")


def proposed_kind(kind: SourceKind, steps: Sequence[ProbeStep]) -> SourceKind | None:
    """Return another kind for a source, if the pages of its trial show that its kind is wrong.

    Args:
        kind: of the source.
        steps: of its trial, with the pages.
    """
    texts = [step for step in steps if step.characters and not step.reason]
    chapters = [step for step in texts if step.kind == "chapter" or CHAPTER_TITLE.search(step.title)]
    is_catalogue = any(_chapter_lines(step.page) >= _FEWEST_LINES for step in steps if step not in chapters)
    has_chapters_only = len(texts) >= _FEWEST_TEXTS and len(chapters) == len(texts)
    if kind in {"news", "site"}:
        return "novel" if is_catalogue or has_chapters_only else None
    if kind == "novel" and len(texts) >= _FEWEST_TEXTS and not chapters and not is_catalogue:
        return "news"
    return None


def _chapter_lines(page: str) -> int:
    """Return how many lines of a page, such as its links, begin like the title of a chapter."""
    return sum(bool(CHAPTER_TITLE.match(line.strip())) for line in _LINE.findall(page))
