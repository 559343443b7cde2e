"""Stamps: lines above or below a post with its date and its number in the thread. Pure.

Posts are found by their stamps: ``发表于 2020-8-12``, ``12楼 昨天 10:22``, ``#3 1 月前``.
"""

import re

from crawler.extraction.outline import Line

# In a stamp, a time or an action follows the day; otherwise the day begins a sentence.
_AFTER_DAY = (
    r"(?![一-鿿，。、；：“（《])|(?=[上下中]午|凌晨|早|晚|星期|周|发[表布]|發[表佈]|[回来來提编編]|更新)"
)
_DATE = re.compile(
    r"(?<!\d)(?:(?:199|20\d)\d|(?<![\d.])[012]\d)\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}(?!\d)"
    # A date directly after a name that ends in digits.
    r"|(?<=\d)20[0-3]\d[-/.][01]\d[-/.][0-3]\d(?!\d)|(?<=\d)[01]\d[-/][0-3]\d\s[0-2]\d:\d\d"
    r"|(?<![\d.])\d{1,2}(?:-|/|\s*月\s*)\d{1,2}\s*[日号號]?,?\s*\d{1,2}:\d\d"
    rf"|(?<![\d年])\d{{1,2}}\s*月\s*\d{{1,2}}\s*[日号號](?:{_AFTER_DAY})|(?<!\d)\d{{1,3}}\s*年\s*之?前(?![一-鿿])"
    r"|(?<!\d)\d{1,3}\s*(?:个|個)?\s*(?:秒鐘?|秒钟|分钟|分鐘|小时|小時|天|日|周|星期|礼拜|月)\s*之?前"
    r"|(?:昨天|前天|今天|昨日)\s*\d{1,2}:\d\d|^(?:昨天|前天|今天|刚刚|剛剛)$|[一-鿿]{2}年[一-鿿]{1,2}月[一-鿿]{1,3}日"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+\d{1,2},?\s+(?:19|20)\d\d\b"
    r"|\b\d{1,2}\s+(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?,?\s+(?:19|20)\d\d\b"
    r"|\b\d{1,3}\s*(?:minutes?|hours?|days?|weeks?|months?|years?)\s+ago\b",
)
# every date contains one of these characters, and most lines contain none
_MAY_BE_DATE = re.compile(r"[\d天刚剛年]")
_NAMED_PLACES = {"楼主": 1, "樓主": 1, "沙发": 2, "沙發": 2, "板凳": 3, "地板": 4}
_PLACE = re.compile(
    r"(?<![\d.])(?P<floor>\d{1,6})\s*(?:楼|樓|[Ff](?![a-z\d]))|第\s*(?P<ordinal>\d{1,6})\s*(?:楼|樓|层|帖|贴)"
    r"|(?<![\w&])#\s?(?P<hash>\d{1,6})(?!\w)|(?<![\w#])(?P<number>\d{1,6})\s?#(?!\w)"
    r"|^\W*(?P<name>楼主|樓主|沙发|沙發|板凳|地板)\W*$"
)
# Lines with a date that does not belong to the post.
_OTHER_DATE = re.compile(
    r"最后由|最後由|最后编辑|最後編輯|编辑于|編輯於|注册|註冊|最后登录|最後登錄|在线时间|加入|更改标题|审核通过|更新于"
    r"|置顶此帖|修改了|joined|last edited|last activity",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\W*\d{2,4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}\s*[日号號]?\W*|\W*\d{1,2}\s*月\s*\d{1,2}\s*[日号號]\W*"
)
_MAX_CHARS = 80  # maximum characters of a stamp
_MAX_MARKS = 2  # maximum number of punctuation marks in a stamp


def is_stamp(line: Line) -> bool:
    """Return whether a line states when a post was written."""
    if line.chars > _MAX_CHARS or line.marks > _MAX_MARKS or not _MAY_BE_DATE.search(line.text):
        return False
    match = _DATE.search(line.text)
    return match is not None and not _OTHER_DATE.search(line.text)


def is_day(line: Line) -> bool:
    """Return whether a line is only a day, as headings of a chronicle are."""
    return line.chars <= _MAX_CHARS and _DAY.fullmatch(line.text) is not None


def date_start(text: str) -> int | None:
    """Return the offset of the date in a text."""
    match = _DATE.search(text)
    return None if match is None else match.start()


def post_number_of(text: str) -> int | None:
    """Return the post number in a line."""
    match = _PLACE.search(text)
    if match is None:
        return None
    if match["name"]:
        return _NAMED_PLACES[match["name"]]
    return int(match["floor"] or match["ordinal"] or match["hash"] or match["number"])
