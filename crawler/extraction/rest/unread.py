"""The parts of a page that could not be read. They show the limits of the result "no match". Pure."""

import re
from collections.abc import Collection

from crawler.extraction.parsing import visible_chars
from crawler.extraction.rest.reading import PageTexts
from crawler.extraction.rest.scripts import count_made_frames, count_writing
from crawler.extraction.result import TOO_LONG, ExtractedPage
from storage.records import UnreadReason

# The last alternative is a name with escaped letters.
_SHOWS_OTHERS = re.compile(r"@font-face|bidi-override|isolate-override|[@:][\w\s-]*\\[0-9a-f]", re.IGNORECASE)
_SHEET = re.compile(r"<link\b[^>]{0,500}\bstylesheet\b", re.IGNORECASE)
# minimum share of unnatural lines in a page's Chinese characters; old novels contain lists of names
_MIN_UNWRITTEN_SHARE = 0.1
_MIN_UNWRITTEN = 500  # with more characters in unnatural lines, their share does not matter
_MIN_FONTED = 40  # minimum characters in unnatural lines on a page with a web font
# if one of these steps fails, text may be missing from both article and rest
_LOSING_STEPS = frozenset({"page", "rest"})
_MIN_DAMAGE = 20  # minimum number of undecodable characters; many pages have a few


def unread_of(
    source: str,
    texts: PageTexts,
    result: ExtractedPage,
    *,
    is_rendered: bool,
    failed: Collection[str],
) -> dict[UnreadReason, int]:
    """Return reason → amount of unread content, in the units of :data:`storage.records.UNREAD_UNITS`.

    Args:
        source: source of the page, decoded.
        texts: all texts of the page.
        result: result of extraction; its ``unread`` has the characters that were cut off from the rest.
        is_rendered: a browser read the page.
        failed: names of the failed steps.
    """
    counts: dict[UnreadReason, int] = dict(result.unread)
    counts["limit"] = counts.get("limit", 0) + result.dropped.get(TOO_LONG, 0) + texts.unread_chars
    counts["encoding"] = damage if (damage := source.count("\ufffd")) >= _MIN_DAMAGE else 0
    if texts.marks is not None:
        counts |= texts.marks.unread
    elif not is_rendered:
        counts["frames"] = texts.frames + count_made_frames(texts.scripts)
        counts["scripts"] = count_writing(texts.scripts) + texts.fillers
    counts["images"] = texts.images
    if not is_rendered:
        counts["scripts"] = counts.get("scripts", 0) + texts.outer_scripts
    if result.kind in {"blocked", "incomplete"}:
        counts["blocked" if result.kind == "blocked" else "incomplete"] = 1
    if texts.unordered:
        counts["order"] = counts.get("order", 0) + sum(map(len, texts.unordered))
    if result.kind == "obfuscated":
        counts["font"] = visible_chars(result.text)
    elif fonted := _unwritten_chars(source, texts):
        counts["font"] = counts.get("font", 0) + fonted
    if texts.private_chars:
        counts.setdefault("font", texts.private_chars)
    counts["failed"] = len(_LOSING_STEPS.intersection(failed))
    return {reason: count for reason, count in counts.items() if count}


def _unwritten_chars(source: str, texts: PageTexts) -> int:
    """Return the number of characters in unnatural lines, where a font may show others."""
    chars = sum(map(len, texts.unwritten))
    if not chars:
        return 0
    if chars >= _MIN_FONTED and (
        any(map(_SHOWS_OTHERS.search, texts.sheets)) or _SHOWS_OTHERS.search(source) is not None
    ):
        return chars
    is_much = chars >= _MIN_UNWRITTEN or chars >= _MIN_UNWRITTEN_SHARE * sum(map(len, texts.keys))
    return chars if is_much and _SHEET.search(source) else 0
