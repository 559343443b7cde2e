"""Retries failed requests after growing pauses, or after the pause that the site requests.

``Retry-After`` delays all requests to the host, in every process. If the pause is longer than
``crawler.max_wait_s``, the crawl does not wait, and its source pauses instead.
"""

import random
import time
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.retry import RetryMiddleware

from crawler.job import job_of
from crawler.meta import NOT_BEFORE, SEARCH
from crawler.middlewares.pace import pace_key
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.http import Response

_MAY_NAME_A_PAUSE = frozenset({429, 503})
_BASE_S = 1.0
_MAX_S = 60.0
_MAX_PAUSE_S = 7 * 86_400.0  # the longest accepted pause; a longer one is a mistake or a joke


class BackoffMiddleware(RetryMiddleware):
    """Scrapy's retries, with pauses."""

    async def process_response(  # type: ignore[override]
        self, request: "Request", response: "Response"
    ) -> "Request | Response":
        """Retry after the pause that the site requests, else after the crawler's pause."""
        if response.status in _MAY_NAME_A_PAUSE and not request.meta.get("dont_retry", False):
            pause = retry_after(response.headers.get("Retry-After"), now=datetime.now(UTC))
            if pause is not None and not await self._wait_for(request, response.status, pause):
                return response
        return self._retry_later(super().process_response(request, response)) or response

    def process_exception(  # type: ignore[override]
        self, request: "Request", exception: Exception
    ) -> "Request | Response | None":
        """Retry after a pause, unless one of our stores failed."""
        if isinstance(exception, PindnaError):
            return None
        return self._retry_later(super().process_exception(request, exception))

    async def _wait_for(self, request: "Request", status: int, seconds: float) -> bool:
        """Delay all requests to the host; return False if the pause is too long, so the source pauses."""
        job = job_of(self.crawler)
        if seconds <= job.settings.max_wait_s:
            await job.store(job.pace.hold, pace_key(request), seconds=seconds)
            return True
        if not request.meta.get(SEARCH):
            until = datetime.now(UTC) + timedelta(seconds=min(seconds, _MAX_PAUSE_S))
            job.refuse(request.url, f"http-{status}", until=until)
        return False

    def _retry_later(self, again: "Request | Response | None") -> "Request | Response | None":
        if isinstance(again, Request):
            again.meta[NOT_BEFORE] = time.monotonic() + pause_s(again.meta.get("retry_times", 1))
        return again


def pause_s(times: int) -> float:
    """Return the pause before the n-th retry in seconds: 1, 2, 4 … at most 60, varied by half."""
    return float(min(_MAX_S, _BASE_S * 2 ** (times - 1))) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret


def retry_after(value: bytes | None, *, now: datetime) -> float | None:
    """Return the seconds in a Retry-After header; None if the header is invalid.

    Args:
        value: a number of seconds, or an HTTP date.
        now: to count from.
    """
    text = (value or b"").decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())
