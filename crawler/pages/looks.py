"""Decides whether the text of an address is up, changed, gone or unreachable, from an outcome. Pure.

A rights holder relies on ``gone``, so it needs a statement of the site itself: status 404, 410 or 451; a page
without text that says that the page does not exist; the site's error page for missing addresses; or a
redirect to the front page. Any other page without the text is ``changed``; a page that asks for a login or
for money is ``restricted``. An outcome without information about the page (a timeout, a ban, a captcha, an
unreadable answer) is ``unreachable``, which never proves absence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from crawler.bans import AnswerSort
from crawler.extraction.notices import says_gone, says_try_later
from crawler.pages.outcomes import FailedFetch, Outcome, Text, UnchangedText
from crawler.pages.page_records import has_prose, text_hash
from fingerprint.text.han import UNIFIED, has_han
from fingerprint.text.variants import fold
from storage.collections.looks import look_id
from storage.records import Look, LookState, Page, Presence, Visit
from system.sites import host_of, site_of

SOFT_404 = "soft-404"  # an error page with status 200
FRONT_PAGE = "front-page"  # the address redirects to the front page of the site
REDIRECT = "redirect"  # the address redirects to another page without the text
NO_FRONT = "no-front-page"  # the front page does not prove that the site works
WANTS_LOGIN = "wants-login"
PAYWALL = "paywall"  # the page asks for money or a login instead of showing the whole text
_GONE = frozenset({404, 410, 451})
_RESTRICTED = frozenset({401, 402})
_UNREAD = frozenset({"obfuscated", "incomplete", "unreadable", "error"})  # the text may still be online
_NO_TEXT = frozenset({"empty", "list"})
_MIN_OWN_TEXT = 250  # minimum Han characters of a text; a notice has fewer
_MIN_PREVIEW_CHARS = 100  # minimum characters of a preview
_MAX_PREVIEW_CHARS = 3_000  # maximum characters of a page with a preview of a paid text
_FRONT_PATHS = frozenset({"", "/", "/index.html", "/index.htm", "/index.php"})
_ASKS_FOR_LOGIN = re.compile(
    r"(?:请|需要?|必须)先?(?:登录|登陆|注册)|(?:登录|登陆)后|用户(?:登录|名)|密码|会员|VIP|付费|订阅|购买|充值|月票|下载APP"
    r"|(?:APP|客户端)(?:内|中)?(?:阅读|查看|观看)|log ?in|sign ?in|subscribe|password",
    re.IGNORECASE,
)
_ASKS_FOR_MONEY = re.compile(
    r"(?:VIP|付费|收费)章节|(?:订阅|购买|付费|充值|登录|登陆|开通[^。\n]{0,4}(?:会员|VIP))[^。\n]{0,6}(?:后|即可|才能|方可|可以?)[^。\n]{0,6}(?:阅读|查看|观看|继续|解锁)"
    r"|(?:阅读|查看|解锁)(?:全文|全部|本章|剩余|余下|后续)[^。\n]{0,12}(?:登录|登陆|订阅|购买|付费|会员|APP|客户端)"
    r"|subscribe to (?:read|continue)|log ?in to (?:read|continue)",
    re.IGNORECASE,
)
_WALL = re.compile(
    r"验证码|人机验证|安全验证|滑动验证|滑块|captcha|访问过于频繁|访问频率|异常流量|(?<!V)IP|防火墙|拒绝访问|访问被拒绝"
    r"|Access Denied|Just a moment|Attention Required|Forbidden|Checking your browser",
    re.IGNORECASE,
)  # words of a page that refuses robots, with or without a login
_LOGIN_PATH = re.compile(r"(?:log|sign)[-_]?in|passport|denglu|/sso\b|/user/auth", re.IGNORECASE)
_NOT_HAN = re.compile(f"[^{UNIFIED}]+")
_PIECE = 8  # characters of a compared piece
_MIN_HELD = 0.5  # minimum share of the copied stretches in a text that still counts as the copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The observation of an address, with the fields of a look."""

    state: LookState
    status: int = 0
    reason: str = ""
    moved_to: str = ""
    answer_id: str = ""


def observation_of(outcome: Outcome, expected: Visit | None, *, held: bool | None = None) -> Observation:
    """Return the observation of a text from an outcome.

    Args:
        outcome: of an address.
        expected: the stored visit with the expected version.
        held: True if the page has the copied stretches of that version; False if it has the same article, but
            not the stretches, which were in the rest of the page; None to compare the versions.
    """
    if isinstance(outcome, FailedFetch):
        return Observation(state=_state_of_failure(outcome), status=outcome.status, reason=outcome.reason)
    if isinstance(outcome, UnchangedText):
        status = 304 if outcome.not_modified else 200
        up = Observation(state="up", status=status, answer_id=outcome.visit.page_id)
        is_same = held or expected is None or _is_version(outcome.visit, expected)
    else:
        page = outcome.record.page
        up = Observation(state="up", status=page.status, answer_id=page.id if text_hash(page) else "")
        is_same = _is_same_text(outcome, expected) if held is None else held
        if (obstacle := _state_without_text(outcome, expected, is_same=is_same)) is not None:
            return replace(up, state=obstacle[0], reason=obstacle[1], answer_id="")
    if is_elsewhere(outcome.requested_url, outcome.response_url):
        if is_same:
            return replace(up, state="moved", moved_to=outcome.response_url)
        return replace(up, state="changed", reason=REDIRECT, moved_to=outcome.response_url)
    return up if is_same else _observe_change(up, outcome)


def observation_of_front_page(outcome: Outcome, *, answers_all: bool) -> Observation:
    """Return whether a site works, judged by its front page: ``up``, or ``unreachable`` in doubt.

    Args:
        outcome: of its address.
        answers_all: whether the site answers every address with this page, like a domain for sale.
    """
    sight = observation_of(outcome, None)
    if isinstance(outcome, FailedFetch) or sight.state not in {"up", "moved"}:
        return sight
    is_site = site_of(outcome.requested_url) == site_of(outcome.response_url)
    is_empty = isinstance(outcome, Text) and outcome.record.page.kind == "empty"
    if answers_all or is_empty or not is_site:
        return replace(sight, state="unreachable", reason=NO_FRONT, moved_to="")
    return replace(sight, state="up", moved_to="")


def is_same_page(page: Page, other: Page) -> bool:
    """Return whether two pages are equal except for a few characters, such as a name or a date."""
    if page.title == other.title and page.text == other.text and (page.text or page.rest == other.rest):
        return bool(page.title or text_hash(page))
    return still_holds(page.text, [other.text]) and still_holds(other.text, [page.text])


def _state_of_failure(outcome: FailedFetch) -> LookState:
    if outcome.reason in {SOFT_404, *(f"http-{status}" for status in _GONE)}:
        return "gone"
    if outcome.reason in {f"http-{status}" for status in _RESTRICTED}:
        return "restricted"
    return "unreachable"


def _state_without_text(
    outcome: Text, expected: Visit | None, *, is_same: bool
) -> tuple[LookState, str] | None:
    """Return the state and reason of a page that is not the text; None if it may be the text.

    A page of any kind that shows the text is up.
    """
    page = outcome.record.page
    if is_same and expected is not None and expected.page_id:
        return None
    if page.kind == "blocked":
        return _state_of_wall(page), page.kind
    if page.kind in _UNREAD:
        return "unreachable", page.kind
    obstacle = _obstacle_without_text(outcome) if page.kind in _NO_TEXT or is_notice(page) else None
    return obstacle if obstacle or is_same else _obstacle_in_place(outcome)


def is_notice(page: Page) -> bool:
    """Return whether a page without text says that the requested page does not exist.

    A chapter may be titled 消失的页面, and a page without an article may have text outside of it.
    """
    if page.text:
        return not has_han(page.text, _MIN_OWN_TEXT) and says_gone(page.title, page.text)
    return not has_prose(page) and says_gone(page.title, page.rest)


def _obstacle_without_text(outcome: Text) -> tuple[LookState, str] | None:
    """Return the state and reason from a page without text, or None."""
    page = outcome.record.page
    if is_notice(page):
        return "gone", SOFT_404
    path = urlsplit(page.url).path
    if is_elsewhere(outcome.requested_url, page.url) and _LOGIN_PATH.search(path):
        return "restricted", WANTS_LOGIN
    if is_elsewhere(outcome.requested_url, page.url) and path in _FRONT_PATHS and _is_of_site(outcome):
        return "gone", FRONT_PAGE
    return None


def _obstacle_in_place(outcome: Text) -> tuple[LookState, str] | None:
    """Return the state and reason from a page with another text, or None."""
    page = outcome.record.page
    return ("restricted", PAYWALL) if asks_for_money(page.title, page.text) else None


def _is_of_site(outcome: Text) -> bool:
    return site_of(outcome.requested_url) == site_of(outcome.response_url)


def _state_of_wall(page: Page) -> LookState:
    """Return whether a blocking page asks for a login (``restricted``) or refuses robots (``unreachable``).

    A page with a preview, but without the words of either kind, shows a paid text.
    """
    words = fold(f"{page.title}\n{page.text}")
    if _WALL.search(words):
        return "unreachable"
    is_preview = len(page.text) >= _MIN_PREVIEW_CHARS
    return "restricted" if is_preview or _ASKS_FOR_LOGIN.search(words) else "unreachable"


def sort_of_answer(page: Page) -> AnswerSort:
    """Return the kind of an answer for the detection of bans."""
    if page.kind != "blocked":
        has_words = page.kind != "empty" or has_han(f"{page.title}\n{page.text}\n{page.rest}")
        return "words" if has_words else "nothing"
    # Outside the article, such words may belong to a login form, which any page may contain.
    is_wall = page.state == "failed" or _WALL.search(fold(f"{page.title}\n{page.text}")) is not None
    return "wall" if is_wall else "request"


def _is_version(visit: Visit, expected: Visit) -> bool:
    return visit.page_id == expected.page_id or (
        bool(expected.content_hash) and visit.content_hash == expected.content_hash
    )


def _is_same_text(outcome: Text, expected: Visit | None) -> bool:
    page = outcome.record.page
    if expected is None or page.id == expected.page_id:
        return True
    if text_hash(page) and text_hash(page) == expected.content_hash:
        return True
    is_read_otherwise = bool(expected.whole_hash) and outcome.record.whole_hash == expected.whole_hash
    return is_read_otherwise or tuple(fetched.text_part for fetched in outcome.fetched) == expected.parts


def _observe_change(sight: Observation, outcome: Text | UnchangedText) -> Observation:
    if isinstance(outcome, UnchangedText):
        return replace(sight, state="changed", reason="")
    page = outcome.record.page
    # a notice of the site is not a text
    kind = "empty" if says_try_later(page.title, page.text) else page.kind
    return replace(sight, state="changed", reason=kind if kind in _NO_TEXT else "")


def asks_for_money(title: str, text: str) -> bool:
    """Return whether a page shows its full text only after a login or a payment."""
    shown = text if len(text) <= _MAX_PREVIEW_CHARS else ""
    return _ASKS_FOR_MONEY.search(fold(f"{title}\n{shown}")) is not None


def is_elsewhere(requested: str, answered: str) -> bool:
    """Return whether another page answered; https, ``www.`` and a final slash do not matter."""
    return _comparable_address(requested) != _comparable_address(answered)


def _comparable_address(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return host_of(url), parts.path.rstrip("/"), parts.query


def still_holds(text: str, stretches: Iterable[str]) -> bool:
    """Return whether a text has at least half of some stretches, in pieces of 8 characters.

    Args:
        text: of the current page.
        stretches: copied stretches of the earlier page.
    """
    pieces = {piece for stretch in stretches for piece in _text_pieces(_han_characters(stretch), _PIECE)}
    present = {piece for piece in _text_pieces(_han_characters(text), 1) if piece in pieces}
    return bool(pieces) and len(present) >= _MIN_HELD * len(pieces)


def _han_characters(text: str) -> str:
    return _NOT_HAN.sub("", fold(text))


def _text_pieces(text: str, step: int) -> Iterable[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text) - _PIECE + 1, step))


def next_presence(sight: Observation, before: Presence | None, *, now: datetime) -> Presence:
    """Return the presence after another look.

    Args:
        sight: the observation.
        before: the previous presence; None for the first look.
        now: time of the look.
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


def look_of(sight: Observation, url: str, *, page_id: str, source: str, scan_id: str, now: datetime) -> Look:
    """Return the look to store for an observation; ``page_id`` is the expected version."""
    return Look(
        id=look_id(url, scan_id),
        url=url,
        page_id=page_id,
        state=sight.state,
        scan_id=scan_id,
        source=source,
        at=now,
        answer_id=sight.answer_id,
        status=sight.status,
        reason=sight.reason,
        moved_to=sight.moved_to,
    )
