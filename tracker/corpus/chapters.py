"""Splitting of a work into passages: at chapter headings, else by length. Every passage is an exact slice.

A heading is a short separate line such as 第一章 雨夜渡口, 第12回　…, 卷三 …, 楔子 or 番外 …. Plain numbers
(1. …, 一、…) count only in a work without other headings. Sections too short to be chapters (a volume's
title, a table of contents) are joined with the next section. Passages longer than ``MAX_CHARS`` are cut at
paragraph ends.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from fingerprint.text.han import CHAPTER_LINE, NUMBERED_LINE, has_han

MAX_CHARS = 50_000
_CUT_CHARS = 20_000  # a text without headings is cut into passages of about this length
_MIN_HAN = 60  # a section with fewer Han characters is not a chapter


@dataclass(frozen=True, slots=True)
class ChapterSection:
    """One passage of a work: its heading and its exact text, heading included."""

    title: str
    text: str


def split_passages(text: str, headings: Mapping[int, str] = MappingProxyType({})) -> list[ChapterSection]:
    """Return a work's passages; their joined texts are the work's text.

    Args:
        text: the work.
        headings: headings marked in its file, by start offset; lines that look like headings count too.
    """
    starts = sorted({*_starts(text, count_numbers=not headings), *(at for at in headings if at < len(text))})
    sections = _merge_short(
        [
            ChapterSection(headings.get(a) or _title(text[a:b]), text[a:b])
            for a, b in pairwise([*starts, len(text)])
        ]
    )
    return [piece for section in sections for piece in _pieces(section)]


def _starts(text: str, *, count_numbers: bool) -> list[int]:
    """Return where sections begin; the first one is 0."""
    starts = [match.start() for match in CHAPTER_LINE.finditer(text)]
    if not starts and count_numbers:
        starts = [match.start() for match in NUMBERED_LINE.finditer(text)]
        if len(starts) < 3:  # noqa: PLR2004 - one or two such lines are chance
            starts = []
    return sorted({0, *starts})


def _title(text: str) -> str:
    """Return the heading that a section begins with, or an empty string."""
    line = text.partition("\n")[0]
    return line.strip() if CHAPTER_LINE.fullmatch(line) or NUMBERED_LINE.fullmatch(line) else ""


def _merge_short(sections: list[ChapterSection]) -> list[ChapterSection]:
    """Join short sections with the next one, and the last section with the previous one. O(characters)."""
    chapters: list[ChapterSection] = []
    waiting: list[str] = []
    for section in sections:
        waiting.append(section.text)
        is_short = not has_han(section.text, _MIN_HAN)
        if is_short and section is not sections[-1]:
            continue
        if is_short and chapters:
            chapters[-1] = ChapterSection(chapters[-1].title, "".join((chapters[-1].text, *waiting)))
        else:
            chapters.append(ChapterSection(section.title, "".join(waiting)))
        waiting = []
    return chapters


def _pieces(section: ChapterSection) -> Iterator[ChapterSection]:
    """Yield a section in pieces of bounded length, cut after line ends where there are any."""
    if len(section.text) <= MAX_CHARS:
        yield section
        return
    start = number = 0
    while start < len(section.text):
        number += 1
        end = len(section.text)
        if end - start > MAX_CHARS:
            end = (
                section.text.rfind("\n", start + _CUT_CHARS // 2, start + _CUT_CHARS) + 1
                or start + _CUT_CHARS
            )
        yield ChapterSection(f"{section.title} ({number})".strip(), section.text[start:end])
        start = end
