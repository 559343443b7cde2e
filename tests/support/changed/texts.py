"""Passages and pages: the units of the benchmark, and how they are read and cut."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path

from storage.records import WorkKind
from tracker.corpus.chapters import split_passages

PAGE_CHARS = 3_000
MIN_CHARS = 600  # a question must be long enough to copy 300 characters from it


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A passage before a corpus gives it an id.

    Attributes:
        work: title of its work.
        ordinal: its place in the work, from 0.
        kind: novel or news.
        title: its heading; empty where there is none.
        text: its text.
    """

    work: str
    ordinal: int
    kind: WorkKind
    title: str
    text: str

    @property
    def name(self) -> str:
        """Unique in a corpus and the same in every run."""
        return f"{self.work}/{self.ordinal}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a mother corpus: ``id`` is its place there, from 1."""

    id: int
    source: Text

    @property
    def text(self) -> str:
        """Its text."""
        return self.source.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Up to 3,000 characters of a novel, or a news article.

    Attributes:
        id: unique among the pages of its corpus; stays the same in every run.
        text: its text.
        answers: ids of the passages that it is a copy of; empty for a distractor.
        kind: novel or news.
        start: where in its passage it begins.
    """

    id: str
    text: str
    answers: frozenset[int]
    kind: WorkKind
    start: int = 0


def is_in_second_half(name: str) -> bool:
    """Return whether a work is in the half on which nothing is chosen: the SHA-256 of its name is odd."""
    return int(sha256(name.encode()).hexdigest(), 16) % 2 == 1


def stable(name: str) -> bytes:
    """Return eight bytes that are the same in every process: what orders texts and seeds permutations."""
    return blake2b(name.encode(), digest_size=8).digest()


@cache
def read_novel(path: Path) -> tuple[Text, ...]:
    """Return the chapters of a novel.

    Raises:
        OSError: the file cannot be read.
    """
    return tuple(
        Text(work=path.stem, ordinal=ordinal, kind="novel", title=section.title, text=section.text)
        for ordinal, section in enumerate(split_passages(path.read_text(encoding="utf-8")))
    )


@cache
def read_news(path: Path) -> tuple[Text, ...]:
    """Return the articles of a .jsonl file.

    Raises:
        OSError: the file cannot be read.
        KeyError: a line lacks a title or a text.
    """
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return tuple(
        Text(work=f"{number} {row['title']}", ordinal=0, kind="news", title=row["title"], text=row["text"])
        for number, row in enumerate(rows)
    )


def cut_pages(text: Text, answers: Iterable[int] = ()) -> Iterator[Page]:
    """Yield a passage's pages: 3,000 characters each but the last.

    Args:
        text: the passage.
        answers: the passages that its pages are copies of.
    """
    same = frozenset(answers)
    for start in range(0, len(text.text), PAGE_CHARS):
        yield Page(
            id=f"{text.name}/{start}",
            text=text.text[start : start + PAGE_CHARS],
            answers=same,
            kind=text.kind,
            start=start,
        )


def draw(pages: Iterable[Page], max_novels: int, *, salt: str = "") -> tuple[Page, ...]:
    """Return up to ``max_novels`` full novel pages and half as many long news articles, by their ids' hash.

    Where no novel has a full page, long ones are taken.

    Args:
        pages: what to draw from.
        max_novels: how many novel pages.
        salt: another salt draws others.
    """
    ordered = sorted(pages, key=lambda page: stable(salt + page.id))
    long = [page for page in ordered if len(page.text) >= MIN_CHARS]
    full = [page for page in long if len(page.text) == PAGE_CHARS and page.kind == "novel"]
    novels = full or [page for page in long if page.kind == "novel"]
    news = [page for page in long if page.kind == "news"]
    return tuple(novels[:max_novels] + news[: (max_novels + 1) // 2])
