"""Finds the refresh target of a page: by its ``Refresh`` header or its meta element. Pure."""

import re
from urllib.parse import urljoin

from scrapy.http import Response, TextResponse
from scrapy.utils.response import get_meta_refresh

# Seconds and address, as HTML defines them ("shared declarative refresh steps"). Quotes may be unclosed.
_REFRESH = re.compile(r"""(\d{1,9}(?:\.\d*)?)\s*[;,]\s*url\s*=\s*(?:"([^"]*)|'([^']*)|(.*))""", re.IGNORECASE)


def header_refresh(response: Response) -> tuple[float, str] | None:
    """Return the seconds and the address of the ``Refresh`` header, or None."""
    value = (response.headers.get("Refresh") or b"").decode("latin-1").strip()
    match = _REFRESH.match(value)
    target = next((group for group in match.groups()[1:] if group), "").strip() if match else ""
    if match is None or not target:
        return None
    try:
        return float(match[1]), urljoin(response.url, target)
    except ValueError:  # the address contains invalid brackets
        return None


def refresh_target(response: Response) -> str:
    """Return the refresh target of a page; empty for none."""
    refresh = header_refresh(response)
    if refresh is not None:
        return refresh[1]
    return get_meta_refresh(response)[1] or "" if isinstance(response, TextResponse) else ""
