"""The publication date that a page states. Pure.

Data for machines come first: JSON-LD, meta elements, time elements, WeChat's variable. Then the lines around
the heading, labelled lines first; then labelled lines anywhere, the top of the page, the state in scripts,
and the address. A date after the fetch is ignored: it is the date of an event, or a mistake.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import chain

from crawler.extraction.chinese_dates import boxed_date, date_in
from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Tree, XPath
from storage.records import CHINA, ClaimedDate
from storage.records.dates import first_date
from storage.records.times import Precision, claim

_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)[/-]?([01]\d)[/-]?([0-3]\d)(?!\d)")
_TIMES = XPath("//@itemprop[. = 'datePublished']/.. | //time[@pubdate or ancestor::article]")
# WeChat's variables, in a page that shows the date by a script. Both script patterns begin with first
# letters, so the regex engine skips to them; their word boundary comes after.
_OWN_VARIABLE = re.compile(
    r"[co](?<!\w.)(?:(?<=c)t|(?<=c)reateTime|(?<=o)riCreateTime)\s*=\s*[\"'](\d{10}|20\d\d-\d{1,2}-\d{1,2}[^\"'<>]{0,15})[\"']"
)
_STATE = re.compile(
    r"[pPcC](?<!\w.)(?i:(?<=p)ublish(?:ed)?_?(?:time|date|at)|(?<=p)ub_?(?:time|date)|(?<=c)reate_?time|(?<=c)reated_?at"
    r"|(?<=p)ost_?time)[\"']?\s*[:=]\s*[\"']?(\d{13}|\d{10}|20\d\d[-/]\d{1,2}[-/]\d{1,2}[^\"'<>]{0,20})(?![\d])"
)
_PUBLISHED = re.compile(
    r"(?:发布|發布|发表|發表|刊发|刊登|刊出|上传|創建|创建|提交|投稿|成文|印发|出版|上稿|上架|公告|發佈|张贴|張貼)(?:时间|時間|日期|于|於)?"
    r"|^\W{0,3}(?:时间|時間|日期)\s*[:：]|posted|published",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"(?:更新|修改|修訂|修订|编辑|編輯)(?:时间|時間|日期|于|於)?|updated|modified", re.IGNORECASE
)
# A date in the form of letters.
_SIGNED = re.compile(
    r"[〇○零一二三四五六七八九十\d]{4}\s*年\s*[一二三四五六七八九十\d]{1,3}\s*月\s*[一二三四五六七八九十\d]{1,3}\s*日"
)
# Today's date, which some sites print above every page.
_TODAY = re.compile(
    r"今天(?:是|[:：])|今日(?:是|[:：])|[当當]前(?:时间|日期|時間)|[现現]在(?:时间|是|時間)|北京时间|农历|農曆"
)
_BELOW, _ABOVE = 15, 5  # numbers of searched lines below and above the heading
_TOP_LINES = 60
_MAX_LINE_CHARS = 100
_MAX_DATED_CHARS = 40  # maximum characters of a line with a date without a year
_OWN_NAMES = ("var ct ", "reateTime")  # a script with WeChat's variables contains one of these texts
_MAX_SCRIPT_CHARS = 500_000  # maximum characters of all scripts together
_MAX_TIMES = 5
_AHEAD = timedelta(days=1)  # how far in the future a date may be, because of time zones and fast clocks
_SECONDS = 10  # number of digits of a time in seconds since 1970; milliseconds have more


@dataclass(frozen=True, slots=True)
class Clock:
    """The zone and the fetch time that complete the dates of a page.

    Attributes:
        zone: zone of a date that names none.
        fetched: when the page was fetched; without it, relative dates are not read.
    """

    zone: tzinfo = CHINA
    fetched: datetime | None = None

    def first(self, texts: Iterable[str], *, is_relative: bool = False) -> ClaimedDate | None:
        """Return the first date in the texts that is not in the future.

        Args:
            texts: each with at most one date.
            is_relative: accept dates such as 昨天 and 3月5日.
        """
        for text in texts:
            date = date_in(text, zone=self.zone, fetched=self.fetched if is_relative else None)
            if date is not None and self.is_past(date):
                return date
        return None

    def is_past(self, date: ClaimedDate) -> bool:
        """Return whether the date is not after the fetch of the page."""
        return self.fetched is None or date.at <= self.fetched + _AHEAD

    def moment(self, number: str) -> ClaimedDate | None:
        """Return the date of a number of seconds or milliseconds since 1970."""
        seconds = int(number[:_SECONDS])
        date = _in_zone(datetime.fromtimestamp(seconds, UTC), self.zone, "second")
        return date if self.is_past(date) else None


def publication_date(
    tree: Tree, page: Outline, *, fields: Sequence[str], heading: int | None, url: str, clock: Clock
) -> ClaimedDate | None:
    """Return the publication date of a page; None if it states none.

    Args:
        tree: the whole page.
        page: its visible lines.
        fields: dates in its JSON-LD and meta elements.
        heading: number of the line with its title.
        url: its address, which often contains the date.
        clock: the source's zone, and when the page was fetched.
    """
    date = (
        clock.first(fields)
        or clock.first(_times(tree))
        or _in_scripts(_own_scripts(tree), _OWN_VARIABLE, clock)
    )
    if date is not None:
        return _in_zone(date.at, clock.zone, date.precision) if _is_utc(date) else date
    return (
        _near_heading(page, heading, clock)
        or clock.first(_labelled(line.text for line in page.lines))
        or clock.first(line.text for line in page.lines[:_TOP_LINES] if _is_label(line))
        or _signed(page, clock)
        or _in_scripts(_scripts(tree), _STATE, clock)
        or _in_address(url, clock)
    )


def _times(tree: Tree) -> Iterator[str]:
    for element in _TIMES(tree)[:_MAX_TIMES]:
        yield element.get("datetime") or element.get("content") or ""


def _near_heading(page: Outline, heading: int | None, clock: Clock) -> ClaimedDate | None:
    """Return the date in the lines around the heading: labelled lines, lines below, lines above."""
    at = heading or 0
    below = page.lines[at + 1 : at + 1 + _BELOW]
    above = page.lines[max(0, at - _ABOVE) : at][::-1]
    labels = [line.text for line in (*below, *above) if _is_label(line)]
    unchanged = [text for text in labels if not _CHANGED.search(text) or _PUBLISHED.search(text)]
    short = [text for text in unchanged if len(text) <= _MAX_DATED_CHARS]
    return (
        clock.first(_labelled(labels))
        or clock.first(unchanged)
        or clock.first(labels)
        or _boxed([*above[::-1], *below], clock)
        or clock.first(short, is_relative=True)
    )


def _is_label(line: Line) -> bool:
    return not line.is_prose and line.chars < _MAX_LINE_CHARS and not _TODAY.search(line.text)


def _signed(page: Outline, clock: Clock) -> ClaimedDate | None:
    """Return the date below an official letter: the only date with its own line."""
    signatures = {line.text for line in page.lines if _SIGNED.fullmatch(line.text)}
    return clock.first(signatures) if len(signatures) == 1 else None


def _boxed(lines: Sequence[Line], clock: Clock) -> ClaimedDate | None:
    date = boxed_date([line.text for line in lines], zone=clock.zone)
    return date if date is not None and clock.is_past(date) else None


def _labelled(texts: Iterable[str]) -> Iterator[str]:
    """Yield the text after a label such as 发布时间, for texts that have one."""
    for text in texts:
        label = _PUBLISHED.search(text[:_MAX_LINE_CHARS])
        if label:
            yield text[label.start() : label.start() + _MAX_LINE_CHARS]


def _scripts(tree: Tree) -> Iterator[str]:
    """Yield the scripts, up to a total length."""
    rest = _MAX_SCRIPT_CHARS
    for script in tree.iter("script"):
        yield (script.text or "")[:rest]
        rest -= min(rest, len(script.text or ""))


def _own_scripts(tree: Tree) -> Iterator[str]:
    """Yield the part of each script in which a variable of WeChat can begin."""
    for script in tree.iter("script"):
        content = script.text or ""
        for name in _OWN_NAMES:
            at = content.find(name)
            if at >= 0:
                yield content[max(0, at - _MAX_LINE_CHARS) : at + _MAX_SCRIPT_CHARS]


def _in_scripts(scripts: Iterable[str], pattern: re.Pattern[str], clock: Clock) -> ClaimedDate | None:
    for match in chain.from_iterable(map(pattern.finditer, scripts)):
        value = match[1]
        date = clock.moment(value) if value.isdigit() else clock.first([value])
        if date is not None:
            return date
    return None


def _in_address(url: str, clock: Clock) -> ClaimedDate | None:
    compact = _COMPACT.search(url)
    date = first_date("-".join(compact.groups()), zone=clock.zone) if compact else None
    return date if date is not None and clock.is_past(date) else None


def _is_utc(date: ClaimedDate) -> bool:
    return date.offset_minutes == 0 and date.precision != "day"


def _in_zone(moment: datetime, zone: tzinfo, precision: Precision) -> ClaimedDate:
    """Return a moment in the zone of the page's readers."""
    return claim(moment.astimezone(zone).replace(tzinfo=None), precision, zone=zone)
