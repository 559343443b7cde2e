"""Real copies: other editions of a novel, novels that copy another, news articles reprinted elsewhere.

editions   pages of 西游记 and 镜花缘 in another edition; the answer is the chapter of the same number, or its
           neighbours, for editions part chapters differently
reuse      pages of a novel that copies another one; the answer is any passage of the copied novel. Not every
           page need be a copy, so recall 1 may be out of reach
reprints   news articles; the answer is the article of the other publisher
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from support.changed.texts import Page, Passage, Text, cut_pages, draw, read_novel

_COPYING = ("万花楼", "三刻拍案惊奇")  # the side that is asked about; the other is the mother's
# Chapter 9 of that edition (陈光蕊赴任逢灾) is in no chapter of the mother's.
_ABSENT = {"西游记": frozenset({9})}
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "廿": 20, "卅": 30}
_HEADING_NUMBER = re.compile(r"第\s*([0-9]+|[零〇○一二两三四五六七八九十百廿卅]+)")


def required_passages(folder: Path, mother: Sequence[Text]) -> list[Text]:
    """Return the passages that the pairs are copies of.

    Args:
        folder: ``editions``, ``reuse`` and ``reprints``.
        mother: the whole mother corpus.

    Raises:
        OSError: a file cannot be read.
    """
    editions = {_work(path) for path in (folder / "editions").glob("*.txt")}
    copied = [path for path in sorted((folder / "reuse").glob("*/*.txt")) if path.stem not in _COPYING]
    return [
        *(text for text in mother if text.work in editions),
        *(text for path in copied for text in read_novel(path)),
        *(_reprint(number, row["a"]) for number, row in enumerate(_reprints(folder))),
    ]


def questions(folder: Path, passages: Sequence[Passage], pages: int) -> dict[str, tuple[Page, ...]]:
    """Return the pages to ask about, by kind of copy.

    Args:
        folder: as for :func:`needed`.
        passages: a mother corpus that holds what is needed.
        pages: most pages of each kind.

    Raises:
        OSError: a file cannot be read.
    """
    works: dict[str, list[Passage]] = {}
    for passage in sorted(passages, key=lambda passage: passage.source.ordinal):
        works.setdefault(passage.source.work, []).append(passage)
    editions = [
        page
        for path in sorted((folder / "editions").glob("*.txt"))
        for page in _edition(read_novel(path), works[_work(path)])
    ]
    return {
        "editions": draw(editions, pages),
        "reuse": draw(_reuse(folder, works), pages),
        "reprints": tuple(
            page
            for number, row in enumerate(_reprints(folder))
            for page in cut_pages(_reprint(number, row["b"]), (works[f"reprint {number}"][0].id,))
            if page.id.endswith("/0")
        ),
    }


def heading_number(title: str) -> int | None:
    """Return the number in a chapter's heading, in Chinese or Arabic digits; None where there is none."""
    match = _HEADING_NUMBER.search(title)
    if match is None:
        return None
    if match[1].isdecimal():
        return int(match[1])
    if not set(match[1]) & _UNITS.keys():  # digit by digit, as in 二〇
        return int("".join(str(_DIGITS[character]) for character in match[1]))
    total = digit = 0
    for character in match[1]:
        if character in _UNITS:
            total += max(1, digit) * _UNITS[character]
            digit = 0
        else:
            digit = _DIGITS[character]
    return total + digit


def chapters(passages: Sequence[Text]) -> list[frozenset[int]]:
    """Return the chapters in each passage: from its heading's number to the one before the next heading's.

    A heading that does not go forward is a misprint and counts as the next number.
    """
    numbers: list[int] = []
    for passage in passages:
        number = heading_number(passage.title)
        before = numbers[-1] if numbers else 0
        numbers.append(number if number is not None and number > before else before + 1)
    ends = [*numbers[1:], numbers[-1] + 1] if numbers else []
    return [frozenset(range(start, end)) for start, end in zip(numbers, ends, strict=True)]


def _work(path: Path) -> str:
    return path.stem.partition(".")[0]


def _reprints(folder: Path) -> list[dict[str, dict[str, str]]]:
    lines = (folder / "reprints" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _reprint(number: int, row: Mapping[str, str]) -> Text:
    return Text(work=f"reprint {number}", ordinal=0, kind="news", title=row["title"], text=row["text"])


def _edition(ours: Sequence[Text], mother: Sequence[Passage]) -> Iterator[Page]:
    """Yield the pages of an edition's chapters that the mother's has too."""
    theirs = list(zip(mother, chapters([passage.source for passage in mother]), strict=True))
    for text, numbers in zip(ours, chapters(ours), strict=True):
        if numbers & _ABSENT.get(mother[0].source.work, frozenset()):
            continue
        near = {number + shift for number in numbers for shift in (-1, 0, 1)}
        same = {passage.id for passage, held in theirs if held & near}
        if same:
            yield from cut_pages(text, same)


def _reuse(folder: Path, works: Mapping[str, Sequence[Passage]]) -> Iterator[Page]:
    for path in sorted((folder / "reuse").glob("*/*.txt")):
        if path.stem in _COPYING:
            (other,) = (sibling.stem for sibling in path.parent.glob("*.txt") if sibling != path)
            for text in read_novel(path):
                yield from cut_pages(text, (passage.id for passage in works[other]))
