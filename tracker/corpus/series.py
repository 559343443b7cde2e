"""Series of files: names with a number, such as 泪珠缘01, 001 雨夜 and （三）. Pure.

Names alone show that files are chapters only if they have a chapter's word (第三回, Chapter 12, 楔子). Other
numbered files may be short stories or novels, so :mod:`tracker.corpus.openings` reads them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from fingerprint.text.numerals import number_of
from fingerprint.text.variants import fold
from tracker.corpus.names import NUMERALS, Place, is_number, is_outer_part, natural_key
from tracker.corpus.tree import TextFile

PlaceKind = Literal["chapter", "volume", "number"]
_FEWEST = 3  # files with a number alone; two may be chance
_MAX_SERIES = 40  # characters of a series' name
_MAX_NAME = 100  # characters of a file's name; archives may contain names of 65,535
_PLACES = {"上": 1, "中": 2, "下": 3}
_GAP = r"[\W_]"
_OPEN, _CLOSE = r"[(（\[【〔]", r"[)）\]】〕]"
_N = rf"[{NUMERALS}]{{1,12}}"
_CHAPTER = re.compile(
    rf"(?:第\s*(?P<numeral>{_N})\s*[章节回话卷折]|卷之?\s*(?P<volume>{_N})(?={_GAP}|$))"
    r"|(?<![a-z])(?:chapter|chap|ch|episode|ep)[\W_]*(?P<digits>\d{1,5})(?!\d)",
    re.IGNORECASE,
)
_VOLUME = re.compile(
    rf"(?P<series>.*?){_GAP}*(?:{_OPEN}\s*(?P<bracketed>[上中下])\s*{_CLOSE}"
    rf"|(?P<unit>[上中下])[卷册部集篇]|卷之?(?P<volume>[上中下])|(?:(?<={_GAP})|^)(?P<bare>[上中下]))\W*"
)
_LAST = re.compile(
    rf"(?P<series>.*?[^\W_0-9].*?)(?:{_GAP}*第?(?<!\d)(?P<digits>\d{{1,5}})|{_GAP}+第?(?P<numeral>{_N}))"
    rf"\s*[部集册篇期]?{_GAP}*"
)
_FIRST = re.compile(
    rf"{_GAP}*(?:第?(?P<digits>\d{{1,5}})(?![\d年月日%])|第?(?P<numeral>{_N})[部集册篇期]?(?=[)）、.．\s_\-]))(?P<rest>.*)"
)
_DATE = re.compile(r"(?:19|20)\d\d[\W_年]?\d{1,2}[\W_月]?$")  # 2024-03, before the day
_DATE_REST = re.compile(r"[-_./]\d{1,2}(?:\D|$)")  # -03-01 after a year
_ORDINAL = re.compile(rf"{_GAP}*\d{{1,5}}{_GAP}*")


@dataclass(frozen=True, slots=True)
class NumberedName:
    """A name with a number.

    Attributes:
        series: the name before the number; empty if the number comes first.
        number: its value.
        kind: ``chapter`` and ``volume`` if the name has a word for them.
        is_bare: the name is only a number.
    """

    series: str
    number: int
    kind: PlaceKind
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Files whose names differ in a number.

    Attributes:
        name: the name that they share; may be empty.
        files: in the order of their numbers, with prefaces and afterwords.
        has_chapter_names: every name has a word for a chapter or a volume.
        is_bare: every name is only a number.
    """

    name: str
    files: tuple[TextFile, ...]
    has_chapter_names: bool = False
    is_bare: bool = False


def numbered_name(stem: str) -> NumberedName | None:
    """Return the number in a file's name and the name of its series; None if it has no number.

    >>> numbered_name("001 第一回 雨夜"), numbered_name("泪珠缘01")
    (NumberedName(series='', number=1, kind='chapter', is_bare=False), \
NumberedName(series='泪珠缘', number=1, kind='number', is_bare=False))
    >>> numbered_name("青灯渡（下）").number, numbered_name("（三）").is_bare, numbered_name("2024-03-01 雨")
    (3, True, None)
    """
    if len(stem) > _MAX_NAME:
        return None
    plain = fold(stem).strip()
    if is_number(plain):
        number = number_of(re.sub(rf"{_GAP}", "", plain))
        return None if number is None else NumberedName("", number, "number", is_bare=True)
    return _chapter_name(plain) or _volume_name(plain) or _last_number(plain) or _first_number(plain)


def _chapter_name(plain: str) -> NumberedName | None:
    match = _CHAPTER.search(plain)
    if match is None:
        return None
    before = plain[: match.start()]
    return _named("" if _ORDINAL.fullmatch(before) else before, match, "chapter")


def _volume_name(plain: str) -> NumberedName | None:
    match = _VOLUME.fullmatch(plain)
    if match is None:
        return None
    letter = next(filter(None, match.group("bracketed", "unit", "volume", "bare")))
    return NumberedName(_without_gaps(match["series"]), _PLACES[letter], "volume")


def _last_number(plain: str) -> NumberedName | None:
    match = _LAST.fullmatch(plain)
    if match is None or _DATE.search(match["series"]) or _ORDINAL.match(match["series"]):
        return None
    return _named(match["series"], match, "number")


def _first_number(plain: str) -> NumberedName | None:
    match = _FIRST.fullmatch(plain)
    if match is None or _DATE_REST.match(match["rest"]):
        return None
    return _named("", match, "number")


def _named(series: str, match: re.Match[str], kind: PlaceKind) -> NumberedName | None:
    number = number_of(match["numeral"] or match["digits"] or match.groupdict().get("volume", ""))
    series = _without_gaps(series)
    return None if number is None or len(series) > _MAX_SERIES else NumberedName(series, number, kind)


def _without_gaps(series: str) -> str:
    """Return the name of a series without the brackets and separators around it."""
    return re.sub(rf"^{_GAP}+|{_GAP}+$", "", series)


def find_series(files: Iterable[TextFile]) -> list[Series]:
    """Return the series among the files of a folder; other files are in none.

    Prefaces and afterwords (楔子, 番外) belong to the series that they name, or to the only one.
    """
    files = list(files)
    names = {file.stem: numbered_name(file.stem) for file in files}
    by_series: dict[str, list[tuple[TextFile, NumberedName]]] = {}
    for file in files:
        if (name := names[file.stem]) is not None:
            by_series.setdefault(name.series, []).append((file, name))
    series = {name: members for name, members in by_series.items() if _is_series(members)}
    outer = [file for file in files if names[file.stem] is None]
    return [_series_of(name, members, _outer_parts(name, outer, series)) for name, members in series.items()]


def _is_series(members: Sequence[tuple[TextFile, NumberedName]]) -> bool:
    """Return whether names are those of a series: different numbers without large gaps."""
    numbers = [name.number for _, name in members]
    is_worded = all(name.kind != "number" or name.is_bare for _, name in members)
    fewest = 2 if is_worded else _FEWEST
    return (
        len(numbers) >= fewest
        and 10 * len(set(numbers)) >= 9 * len(numbers)
        and max(numbers) - min(numbers) < 3 * len(numbers) + 10
    )


def _outer_parts(name: str, candidates: Sequence[TextFile], series: Iterable[str]) -> list[TextFile]:
    """Return the prefaces and afterwords of a series."""
    is_only = len(list(series)) == 1
    return [
        file
        for file in candidates
        if (is_only and is_outer_part(file.stem))
        or (name and fold(file.stem).startswith(name) and is_outer_part(fold(file.stem)[len(name) :]))
    ]


def _series_of(
    name: str, members: Sequence[tuple[TextFile, NumberedName]], outer: Sequence[TextFile]
) -> Series:
    files = sorted([*(file for file, _ in members), *outer], key=lambda file: _sort_key(file, name))
    shown = next((file.stem for file, _ in members if name), "")  # as written, not folded
    return Series(
        name=shown[fold(shown).find(name) :][: len(name)] if name else "",
        files=tuple(files),
        has_chapter_names=all(member.kind != "number" for _, member in members),
        is_bare=not outer and all(member.is_bare for _, member in members),
    )


def _sort_key(file: TextFile, series: str) -> Place:
    """Return the sort key of a file: its name after that of the series."""
    stem = file.stem
    return natural_key(stem[len(series) :] if fold(stem).startswith(series) else stem)
