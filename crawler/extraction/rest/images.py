"""Pictures that may be text: the likely content of a page with hardly a sentence. Pure."""

import re

from crawler.extraction.marked import MarkedElements
from crawler.extraction.parsing import Element

_ICON_PIXELS = 60
_ICON = re.compile(r"logo|icon|qr|avatar|btn|button|blank|spacer|loading|banner|\.svg|\.ico", re.IGNORECASE)


def count_images(page: MarkedElements) -> int:
    """Return the number of pictures that may be text: neither icons nor part of the site's design."""
    return sum(1 for image in page.all_of("img") if not _is_icon(image))


def _is_icon(image: Element) -> bool:
    sizes = [image.get("width") or "", image.get("height") or ""]
    pixels = [int(size.removesuffix("px")) for size in sizes if size.removesuffix("px").isdecimal()]
    is_small = any(size <= _ICON_PIXELS for size in pixels)
    address = image.get("src") or image.get("data-src") or image.get("data-original") or ""
    return (
        is_small
        or not address
        or _ICON.search(f"{address[-100:]} {image.get('class')} {image.get('id')}") is not None
    )
