"""Names of files and folders: numbers, chapters, volumes, and the reading order."""

import re
import unicodedata

from fingerprint.text.han import CHAPTER_UNITS
from fingerprint.text.numerals import number_of
from fingerprint.text.variants import fold

NUMERALS = "0-9〇零一二三四五六七八九十百千两万"
_VOLUME_UNITS = "卷部册集篇"
_ORDINAL = r"[\W_]*(?:\d{1,5}[\W_]*)?"  # 001_ before the name proper
_NUMBER = re.compile(rf"[\W_]*[{NUMERALS}]{{1,20}}[\W_]*")
_FIRST_PARTS = (
    "楔子|序章|序幕|序言|自序|总序|代序|序|引子|引言|前言|自叙|弁言|凡例|例言|题词|题记|内容简介|简介"
)
_LAST_PARTS = "番外|尾声|终章|后记|后序|附录|跋|完本感言"
_OUTER = re.compile(
    rf"{_ORDINAL}(?:{_FIRST_PARTS}|{_LAST_PARTS})(?:{_ORDINAL}|[\W_].*|[{NUMERALS}]{{1,5}}.*)"
)
_CHAPTER = re.compile(
    rf"{_ORDINAL}(?:第\s*[{NUMERALS}]{{1,20}}\s*[{fold(CHAPTER_UNITS)}{_VOLUME_UNITS}]"
    r"|(?:chapter|chap|ch)[\W_]*\d{1,5}(?!\d)"
    r"|楔子|序章|序言|序幕|自序|引子|引言|前言|番外|尾声|终章|后记|附录|完本感言)",
    re.IGNORECASE,
)
_VOLUME = re.compile(
    rf"{_ORDINAL}(?:第\s*[{NUMERALS}]{{1,9}}\s*[{_VOLUME_UNITS}].*|卷之?\s*[{NUMERALS}上中下]{{1,9}}(?:[\W_].*)?"
    rf"|[上中下][{_VOLUME_UNITS}]?|(?:vol|volume|part)[\W_]*\d{{1,4}}(?:[\W_].*)?)",
    re.IGNORECASE,
)
_PIECES = re.compile(rf"([{NUMERALS}]{{1,20}}|[上中下](?=[{_VOLUME_UNITS}]|\W|$))")
_FIRST = re.compile(rf"[\W_]*(?:{_FIRST_PARTS})")
_LAST = re.compile(rf"[\W_]*(?:{_LAST_PARTS})")
_PLACES = {"上": 1, "中": 2, "下": 3}

Place = tuple[int, tuple[tuple[int, int, str], ...], str]


def is_number(stem: str) -> bool:
    """Return whether a name is only a number.

    >>> is_number("001"), is_number("（十二）"), is_number("１"), is_number("1984之后")
    (True, True, True, False)
    """
    return _NUMBER.fullmatch(fold(stem).strip()) is not None


def is_outer_part(stem: str) -> bool:
    """Return whether a name is that of a preface or an afterword.

    >>> is_outer_part("000 楔子"), is_outer_part("番外3 江上"), is_outer_part("序"), is_outer_part("序列号")
    (True, True, True, False)
    """
    return _OUTER.fullmatch(fold(stem).strip()) is not None


def is_chapter(stem: str) -> bool:
    """Return whether a name begins like that of a chapter, a volume, a preface or an afterword.

    >>> is_chapter("第一章 雨夜"), is_chapter("001_楔子"), is_chapter("03"), is_chapter("青灯渡")
    (True, True, False, False)
    """
    plain = fold(stem)
    return _CHAPTER.match(plain) is not None or is_volume(stem) or is_outer_part(stem)


def is_volume(name: str) -> bool:
    """Return whether a name is that of a volume, which is a division of a work.

    >>> is_volume("第一卷 江上"), is_volume("卷二"), is_volume("下册"), is_volume("卷起袖子"), is_volume("03")
    (True, True, True, False, False)
    """
    return _VOLUME.fullmatch(fold(name).strip()) is not None


def natural_key(name: str) -> Place:
    """Return the sort key of a name: 2 before 10, 第九章 before 第十章, 楔子 first and 后记 last.

    >>> sorted(["第十章", "后记", "第九章", "楔子"], key=natural_key)
    ['楔子', '第九章', '第十章', '后记']
    >>> sorted(["10", "2"], key=natural_key), sorted(["青灯渡（下）", "青灯渡（上）"], key=natural_key)
    (['2', '10'], ['青灯渡（上）', '青灯渡（下）'])
    """
    plain = fold(name).lstrip()
    group = -1 if _FIRST.match(plain) else 1 if _LAST.match(plain) else 0
    pieces = (_piece_key(piece) for piece in _PIECES.split(plain) if piece)
    return group, tuple(pieces), name


def _piece_key(piece: str) -> tuple[int, int, str]:
    """Return the sort key of a number, or of the text between two numbers; numbers come before text."""
    number = _PLACES[piece] if piece in _PLACES else number_of(piece)
    return (1, 0, piece) if number is None else (0, number, "")


def same_name(name: str) -> str:
    """Return a name in the form used for comparisons: macOS writes é as two characters."""
    return unicodedata.normalize("NFC", name)
