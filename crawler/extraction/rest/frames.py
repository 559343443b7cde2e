"""Frames of a page that show another document, which was not read with the page. Pure.

Frames for adverts, statistics and players are not counted; their host or size shows what they are. A size
counts only if no style of the page can change it.
"""

import re
from collections.abc import Iterable, Sequence

from crawler.extraction.marked import MarkedElements
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.rest.strings import word_offsets

_ADDRESSES = {"iframe": "src", "frame": "src", "object": "data", "embed": "src"}
_NO_ADDRESS = ("data:", "about:", "javascript:", "#", "chrome-extension:", "mailto:")
_NO_TEXT = (".swf", ".mp3", ".mp4", ".flv", ".gif", ".png", ".jpg", ".jpeg", ".webp", ".wav", ".js")
# Hosts of adverts, statistics, captchas, buttons of social networks, and players.
_OTHER_HOSTS = re.compile(
    r"//(?:[\w-]+\.)*(?:doubleclick\.net|googlesyndication\.com|googletagmanager\.com|google\.com|googleapis\.com"
    r"|pos\.baidu\.com|cpro\.baidu\.com|hm\.baidu\.com|tanx\.com|alicdn\.com|mediav\.com|allyes\.com|g\.163\.com"
    r"|img1\.126\.net|weibo\.com|v\.t\.sina\.com\.cn|sinajs\.cn|bshare\.cn|captcha\.gtimg\.com|geetest\.com"
    r"|facebook\.com|twitter\.com|youtube\.com|vimeo\.com|disqus\.com|player\.bilibili\.com|v\.qq\.com"
    r"|player\.youku\.com|music\.163\.com|tianqi\.2345\.com|i\.tianqi\.com|(?:ads?|pfp|sbeacon|beacon)\.[\w.-]+)(?=[/?:]|$)"
)
_PIXELS = re.compile(r"\s*(\d{1,5})(?:px)?\s*\Z")
_STYLE_SIZE = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d{1,5})(?:px)?\b", re.IGNORECASE)
_ANY_SIZE = re.compile(r"width|height|transform|scale|zoom|position|inset", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_FRAME_RULE = re.compile(
    r"(?<![\w-])(?:iframe|frame|object|embed)(?![\w-])[^{}]{0,200}\{[^{}]{0,400}?"
    r"(?<![\w-])(?:width|height|min-width|min-height|transform|scale|zoom|position|inset|display|all)\s*:",
    re.IGNORECASE,
)
# maximum height of a banner in pixels, and area of an advert in square pixels
_MAX_HEIGHT, _MAX_AREA = 130, 110_000


def count_frames(page: MarkedElements, sheets: Sequence[str]) -> int:
    """Return the number of frames whose text a reader may see.

    Args:
        page: the page.
        sheets: its style sheets.
    """
    return len(_with_text(page.all_of(*_ADDRESSES), sheets))


def frames_with_text(tree: Tree, sheets: Sequence[str]) -> list[tuple[str, Element]]:
    """Return the frames whose text a reader may see, each with its address.

    Args:
        tree: the page.
        sheets: its style sheets.
    """
    return _with_text(tree.iter(*_ADDRESSES), sheets)


def _with_text(elements: Iterable[Element], sheets: Sequence[str]) -> list[tuple[str, Element]]:
    frames = [frame for frame in elements if _address_of(frame) and not _is_other(frame)]
    small = frozenset(filter(_is_small, frames))
    if small and any(map(_sizes_frames, sheets)):
        small = frozenset()
    return [
        ((frame.get(_ADDRESSES[str(frame.tag)]) or "").strip(), frame)
        for frame in frames
        if frame not in small
    ]


def _sizes_frames(sheet: str) -> bool:
    """Return whether a sheet may change the size of frames."""
    return any(
        _FRAME_RULE.match(sheet, at) or (at > 0 and _FRAME_RULE.match(sheet, at - 1))
        for at in word_offsets(sheet, b"frame", b"object", b"embed")
    )


def _address_of(frame: Element) -> str:
    """Return the address of a frame that shows another document; empty without one."""
    address = (frame.get(_ADDRESSES[str(frame.tag)]) or "").strip().lower()
    path = address.partition("?")[0].partition("#")[0]
    is_document = address and not address.startswith(_NO_ADDRESS) and not path.endswith(_NO_TEXT)
    return address if is_document and frame.get("srcdoc") is None else ""


def _is_other(frame: Element) -> bool:
    address = _address_of(frame)
    return _OTHER_HOSTS.match(address[address.find("//") :]) is not None


def _is_small(frame: Element) -> bool:
    """Return whether a frame's attributes make it as small as a banner, or hide it."""
    style = frame.get("style") or ""
    if _NOT_SHOWN.search(style):
        return True
    sizes = {name.lower(): int(value) for name, value in _STYLE_SIZE.findall(style)}
    if not sizes and _ANY_SIZE.search(style):
        return False
    for name in ("width", "height"):
        pixels = _PIXELS.match(frame.get(name) or "")
        if name not in sizes and pixels is not None:
            sizes[name] = int(pixels[1])
    height, width = sizes.get("height"), sizes.get("width")
    if height is not None and height <= _MAX_HEIGHT:
        return True
    return (width is not None and width <= 1) or (
        height is not None and width is not None and height * width <= _MAX_AREA
    )
