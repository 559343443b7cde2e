"""Number and name of a chapter, taken from its title. Pure."""

import re
from dataclasses import dataclass

from fingerprint.text.han import SIMPLIFIED_CHAPTER, SIMPLIFIED_PARTS
from fingerprint.text.numerals import number_of
from fingerprint.text.variants import fold

_HEADING = re.compile(rf"{SIMPLIFIED_CHAPTER}(?P<rest>.*)$|^(?P<bare>\d{{1,5}})\s*[、.:]?\s+(?P<name>\S.*)$")
_SPECIAL = re.compile(rf"^(?P<name>(?:{SIMPLIFIED_PARTS}).*)$")
_AFTER = re.compile(
    r"\s*[_|–]+\s*|-(?=.{4})|\s+-\s+|\s{2,}|[(（【](?:求|第\s*[0-9一二三四]+\s*[更/页]|\d+\s*/\s*\d+)[^)）】]*[)）】].*$"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter's number and name; None if the title has none."""

    number: int | None
    title: str | None


NO_HEADING = Heading(None, None)


def chapter_heading(title: str) -> Heading:
    """Return the number and the name in a chapter's title.

    A title may contain a volume before the chapter (第二卷 渡口 第三章 对岸), so the last number counts.
    """
    plain = fold(title)
    last = 0
    for match in re.finditer(SIMPLIFIED_CHAPTER, plain):
        last = match.start()
    heading = _HEADING.search(plain, last)
    if heading is None:
        special = _SPECIAL.match(plain)
        return Heading(None, _name(title)) if special else NO_HEADING
    if heading["bare"]:
        return Heading(int(heading["bare"]), _name(title[heading.start("name") :]))
    return Heading(number_of(heading["number"]), _name(title[heading.start("rest") :]))


def _name(text: str) -> str | None:
    return _AFTER.split(text.strip(" \u3000:：、.·-_"))[0].strip() or None
