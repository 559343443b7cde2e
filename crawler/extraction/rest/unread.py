"""What of a page could not be read, so that "nothing found" never says more than it knows. Pure."""

import re
from collections.abc import Collection

from crawler.extraction.parsing import Tree
from crawler.extraction.rest.reading import PageTexts
from crawler.extraction.result import TOO_LONG, Extracted
from storage.records import UnreadReason

_FONT_FACE = re.compile(r"@font-face", re.IGNORECASE)
_FRAMES = {"iframe": "src", "frame": "src", "object": "data", "embed": "src"}
_NO_ADDRESS = ("data:", "about:", "javascript:", "#")
_NO_TEXT = (".swf", ".mp3", ".mp4", ".flv", ".gif", ".png", ".jpg", ".jpeg", ".webp", ".wav")


def unread_of(
    tree: Tree,
    texts: PageTexts,
    result: Extracted,
    *,
    is_rendered: bool,
    failed: Collection[str],
) -> dict[UnreadReason, int]:
    """Return reason → number of what was not read, in the units of :data:`storage.records.UNREAD_UNITS`.

    Args:
        tree: the page.
        texts: what was found on it.
        result: of extraction; its ``unread`` has the characters of the rest that were cut off.
        is_rendered: a browser read the page.
        failed: names of the steps that failed.
    """
    counts: dict[UnreadReason, int] = dict(result.unread)
    counts["limit"] = counts.get("limit", 0) + result.dropped.get(TOO_LONG, 0) + texts.unread_chars
    if not is_rendered:
        counts["frames"] = _frames(tree)
    if result.kind in {"blocked", "incomplete"}:
        counts["blocked" if result.kind == "blocked" else "incomplete"] = 1
    if texts.unordered:
        reason: UnreadReason = "font" if any(map(_FONT_FACE.search, texts.sheets)) else "order"
        counts[reason] = counts.get(reason, 0) + sum(map(len, texts.unordered))
    counts["failed"] = len(set(failed) - {"length"})
    return {reason: count for reason, count in counts.items() if count}


def _frames(tree: Tree) -> int:
    """Return the number of frames that show another document."""
    count = 0
    for element in tree.iter(*_FRAMES):
        address = (element.get(_FRAMES[str(element.tag)]) or "").strip().lower()
        path = address.partition("?")[0]
        if address and not address.startswith(_NO_ADDRESS) and not path.endswith(_NO_TEXT):
            count += element.get("srcdoc") is None
    return count
