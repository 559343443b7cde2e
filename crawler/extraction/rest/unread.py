"""What of a page could not be read, so that "nothing found" never says more than it knows. Pure."""

import re
from collections.abc import Collection

from crawler.extraction.parsing import visible_chars
from crawler.extraction.rest.reading import PageTexts
from crawler.extraction.rest.scripts import count_made_frames, count_writing
from crawler.extraction.result import TOO_LONG, Extracted
from storage.records import UnreadReason

_FONT_FACE = re.compile(r"@font-face", re.IGNORECASE)
_LOSING_STEPS = frozenset({"page", "rest"})  # without which text is in neither article nor rest
_MIN_DAMAGE = 20  # characters that could not be decoded; a few are lost on many pages


def unread_of(
    source: str,
    texts: PageTexts,
    result: Extracted,
    *,
    is_rendered: bool,
    failed: Collection[str],
) -> dict[UnreadReason, int]:
    """Return reason → number of what was not read, in the units of :data:`storage.records.UNREAD_UNITS`.

    Args:
        source: its source, decoded.
        texts: what was found on it.
        result: of extraction; its ``unread`` has the characters of the rest that were cut off.
        is_rendered: a browser read the page.
        failed: names of the steps that failed.
    """
    counts: dict[UnreadReason, int] = dict(result.unread)
    counts["limit"] = counts.get("limit", 0) + result.dropped.get(TOO_LONG, 0) + texts.unread_chars
    counts["encoding"] = damage if (damage := source.count("\ufffd")) >= _MIN_DAMAGE else 0
    if texts.marks is not None:
        counts |= texts.marks.unread
    elif not is_rendered:
        counts["frames"] = texts.frames + count_made_frames(texts.scripts)
        counts["scripts"] = count_writing(texts.scripts)
    counts["images"] = texts.images
    if not is_rendered:
        counts["scripts"] = counts.get("scripts", 0) + texts.outer_scripts
    if result.kind in {"blocked", "incomplete"}:
        counts["blocked" if result.kind == "blocked" else "incomplete"] = 1
    if texts.unordered:
        has_font = result.kind == "obfuscated" or any(map(_FONT_FACE.search, texts.sheets))
        reason: UnreadReason = "font" if has_font else "order"
        counts[reason] = counts.get(reason, 0) + sum(map(len, texts.unordered))
    elif result.kind == "obfuscated":
        counts["font"] = visible_chars(result.text)
    counts["failed"] = len(_LOSING_STEPS.intersection(failed))
    return {reason: count for reason, count in counts.items() if count}
