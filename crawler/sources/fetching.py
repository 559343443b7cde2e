"""Fetches a single page as safely as a crawl, for ``pindna extract URL`` and ``pindna check URL``.

The fetch runs in a separate process (:mod:`crawler.sources.one_page`), because Scrapy's reactor cannot start
twice. The process prints one line of JSON, then the body.
"""

import json
import subprocess
import sys
from dataclasses import dataclass

from crawler.download.browser.chromium import require_browser
from crawler.reasons import advice_on_page
from storage.settings import load_settings
from system.child_process import last_line
from system.errors import PindnaError

_TIMEOUT_S = 180


class CannotFetch(PindnaError):
    """A page could not be fetched.

    Attributes:
        url, reason, advice: the address, why it failed, and what to do about it.
    """

    template = "{url} could not be fetched ({reason}). {advice}"


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """A response.

    Attributes:
        url: the address after redirects.
        declared: the encoding in the headers, if any.
        body: bytes after transfer decoding.
        sheets: (address, rules) of the site's own style sheets.
        content_type: from the headers, without parameters.
        is_rendered: whether a browser rendered it; then the body has pindna's marks.
    """

    url: str
    declared: str | None
    body: bytes
    sheets: tuple[tuple[str, str], ...] = ()
    content_type: str = ""
    is_rendered: bool = False


def fetch(url: str, *, render: bool = False, is_public: bool = False) -> FetchedResponse:
    """Fetch a page.

    Args:
        url: its address.
        render: render it in a browser; the body is then the rendered page in UTF-8.
        is_public: refuse all private addresses, even those in ``crawler.allow_inner``.

    Raises:
        BrowserMissing: the page must be rendered and there is no browser.
        CannotFetch: the page does not exist or cannot be reached.
    """
    if render:
        require_browser(load_settings().crawler, wanted_by=url)
    options = [*(["--render"] if render else []), *(["--public"] if is_public else [])]
    command = [sys.executable, "-P", "-m", "crawler.sources.one_page", url, *options]
    try:
        process = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603 - our own module
    except subprocess.TimeoutExpired as error:
        raise CannotFetch(url=url, reason="timeout", advice=advice_on_page("timeout")) from error
    head, _, body = process.stdout.partition(b"\n")
    try:
        answer = json.loads(head)
    except ValueError as error:
        reason = last_line(process.stderr) or "no answer"
        raise CannotFetch(url=url, reason=reason, advice=advice_on_page(reason)) from error
    if "reason" in answer:
        raise CannotFetch(url=url, reason=answer["reason"], advice=advice_on_page(answer["reason"]))
    sheets = tuple((address, rules) for address, rules in answer["sheets"])
    return FetchedResponse(
        answer["url"],
        answer["declared"],
        body,
        sheets,
        content_type=answer["content_type"],
        is_rendered=answer["is_rendered"],
    )
