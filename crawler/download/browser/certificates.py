"""The certificates that a site showed the browser."""

import asyncio
import base64
import binascii
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.async_api import CDPSession, Error

_ANSWER_S = 3.0
_MAX_CERTIFICATES = 10


async def certificates_of(session: CDPSession, url: str) -> tuple[bytes, ...]:
    """Return the certificates of a page's site, DER, its own first and its chain behind; none without TLS.

    Args:
        session: with the page.
        url: of the document.
    """
    parts = urlsplit(url)
    if parts.scheme != "https":
        return ()
    origin = f"https://{parts.netloc.rpartition('@')[2]}"
    with suppress(Error, TimeoutError, binascii.Error):
        async with asyncio.timeout(_ANSWER_S):
            reply = await session.send("Network.getCertificate", {"origin": origin})
        return tuple(base64.b64decode(one) for one in reply["tableNames"][:_MAX_CERTIFICATES])
    return ()
