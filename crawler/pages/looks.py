"""What an outcome shows of the text that was at its address: up, changed, gone or out of reach. Pure.

A rights holder relies on ``gone``, so it is said only where the site itself says so: 404 or 410; a page
without a text of its own that says there is none; its front page, to which the address redirects. Any other
page without the text is ``changed``. What tells nothing of the page (a timeout, a ban, an answer that we
cannot read) is ``unreachable``, whoever is to blame, and never proof of absence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from crawler.pages.outcomes import Failed, Outcome, Same, Text
from fingerprint.text.han import UNIFIED
from fingerprint.text.variants import fold
from storage.collections.looks import look_id
from storage.records import Look, LookState, Presence, Visit
from storage.sites import host_of

SOFT_404 = "soft-404"  # a page that answers 200 and says that there is nothing
FRONT_PAGE = "front-page"  # of the site, to which the address redirects
_GONE = frozenset({404, 410})
_RESTRICTED = frozenset({401, 402, 403, 451})
_FORBIDDEN = frozenset({"robots", "blocked"})  # reasons
_UNREAD = frozenset({"obfuscated", "incomplete", "unreadable", "error"})  # the text may be there
_NO_TEXT = frozenset({"empty", "list"})
_MAX_NOTICE_CHARS = 200  # of a page that says that there is nothing
_THING = "(?:页面|网页|此页|本页|文章|章节|作品|小说|书籍|内容|帖子|资源|链接|稿件|地址)"
_SAYS_GONE = re.compile(
    rf"{_THING}[^。\n]{{0,12}}(?:不存在|已[^。\n]{{0,4}}(?:删除|移除|下架|失效)|被删除|找不到|未找到)"
    rf"|(?:找不到|未找到|没有找到)[^。\n]{{0,12}}{_THING}|已(?:被)?下架|404 ?(?:错误|页面)"
    r"|not found|no longer available",
    re.IGNORECASE,
)
_NOT_HAN = re.compile(f"[^{UNIFIED}]+")
_PIECE = 8  # characters
_MIN_HELD = 0.5  # share of the copied stretches that must still stand in another text


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What an outcome shows, but for the copied stretches in another text; fields as of a look."""

    state: LookState
    status: int = 0
    reason: str = ""
    moved_to: str = ""
    answer_id: str = ""


def sight_of(outcome: Outcome, known: Visit | None) -> Sight:
    """Return what an outcome shows of the text that was at its address.

    Args:
        outcome: of an address.
        known: what was known of the address that was asked for, before.
    """
    if isinstance(outcome, Failed):
        return Sight(state=_state_of_failure(outcome), status=outcome.status, reason=outcome.reason)
    if isinstance(outcome, Same):
        status = 304 if outcome.not_modified else 200
        up = Sight(state="up", status=status, answer_id=outcome.visit.page_id)
    else:
        page = outcome.seen.page
        up = Sight(state="up", status=page.status, answer_id=page.id if page.content_hash else "")
        if (obstacle := _obstacle(outcome)) is not None:
            return replace(up, state=obstacle[0], reason=obstacle[1], answer_id="")
    if is_elsewhere(outcome.asked, outcome.answered):
        return replace(up, state="moved", moved_to=outcome.answered)
    return up if isinstance(outcome, Same) or _is_same_text(outcome, known) else _changed(up, outcome)


def _state_of_failure(outcome: Failed) -> LookState:
    if outcome.reason in {f"http-{status}" for status in _GONE}:
        return "gone"
    if outcome.reason in _FORBIDDEN | {f"http-{status}" for status in _RESTRICTED}:
        return "restricted"
    return "unreachable"


def _obstacle(outcome: Text) -> tuple[LookState, str] | None:
    """Return why a page that answered is not the text, whatever its address; None when it may be."""
    page = outcome.seen.page
    if page.kind in _FORBIDDEN:
        return "restricted", page.kind
    if page.kind in _UNREAD:
        return "unreachable", page.kind
    if page.kind in _NO_TEXT and says_gone(page.title, page.text):
        return "gone", SOFT_404
    is_front = urlsplit(page.url).path in {"", "/"} and page.kind in _NO_TEXT
    return ("gone", FRONT_PAGE) if is_front and is_elsewhere(outcome.asked, page.url) else None


def _is_same_text(outcome: Text, known: Visit | None) -> bool:
    page = outcome.seen.page
    if known is None or page.id == known.page_id or page.content_hash == known.content_hash:
        return True
    is_read_otherwise = bool(known.whole_hash) and outcome.seen.whole_hash == known.whole_hash
    return is_read_otherwise or tuple(fetched.part for fetched in outcome.fetched) == known.parts


def _changed(sight: Sight, outcome: Text) -> Sight:
    kind = outcome.seen.page.kind
    return replace(sight, state="changed", reason=kind if kind in _NO_TEXT else "")


def says_gone(title: str, text: str) -> bool:
    """Return whether a page without a text of its own says that what was asked for is not there."""
    notice = text if len(text) <= _MAX_NOTICE_CHARS else ""
    return _SAYS_GONE.search(fold(f"{title}\n{notice}")) is not None


def is_elsewhere(asked: str, answered: str) -> bool:
    """Return whether another page answered: http or https, ``www.`` and a last slash make no other page."""
    return _plain(asked) != _plain(answered)


def _plain(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return host_of(url), parts.path.rstrip("/"), parts.query


def still_holds(text: str, stretches: Iterable[str]) -> bool:
    """Return whether another text still has at least half of some stretches, in pieces of 8 characters.

    Args:
        text: of the page as it is now.
        stretches: copied ones of the page as it was.
    """
    pieces = {piece for stretch in stretches for piece in _pieces(_han(stretch), _PIECE)}
    present = {piece for piece in _pieces(_han(text), 1) if piece in pieces}
    return bool(pieces) and len(present) >= _MIN_HELD * len(pieces)


def _han(text: str) -> str:
    return _NOT_HAN.sub("", fold(text))


def _pieces(text: str, step: int) -> Iterable[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text) - _PIECE + 1, step))


def next_presence(sight: Sight, before: Presence | None, *, now: datetime) -> Presence:
    """Return the presence after another look.

    Args:
        sight: what it saw.
        before: the presence before it; None at the first look.
        now: when it was.
    """
    if sight.state == "up":
        return Presence(state="up", checked=now, seen=now)
    absent = before.absent_since if before else None
    return Presence(
        state=sight.state,
        checked=now,
        seen=before.seen if before else None,
        absent_since=absent or (now if sight.state == "gone" else None),
        reason=sight.reason,
        moved_to=sight.moved_to,
    )


def look_of(sight: Sight, known: Visit, *, source: str, scan_id: str, now: datetime) -> Look:
    """Return the look that a sight at a known address is, to be stored."""
    return Look(
        id=look_id(known.url, scan_id),
        url=known.url,
        page_id=known.page_id,
        state=sight.state,
        scan_id=scan_id,
        source=source,
        at=now,
        answer_id=sight.answer_id,
        status=sight.status,
        reason=sight.reason,
        moved_to=sight.moved_to,
    )
