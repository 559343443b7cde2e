"""Limits of how often something may be done, kept in Redis, where all processes of an installation see them.

A moving window: so many times within the last seconds, whenever that is. When Redis loses its data it begins
anew.
"""

import hashlib
import math
import time
from dataclasses import dataclass

import redis
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter

from storage.servers.redis_client import redis_errors
from system.errors import PindnaError


class TooOften(PindnaError):
    """Something was done too often. Data: ``seconds``."""

    template = "That was tried too often. Try again in {seconds} seconds."


@dataclass(frozen=True, slots=True)
class Limit:
    """How often something may be done.

    Attributes:
        name: of what is limited; part of the key.
        times: how often at most.
        period_s: within how many seconds.
    """

    name: str
    times: int
    period_s: int

    def item(self) -> RateLimitItemPerSecond:
        """Return the limit as the library has it."""
        return RateLimitItemPerSecond(self.times, self.period_s, namespace=self.name)


class Throttle:
    """Counts what is done, and refuses what is done too often.

    Every method raises ``ServiceDown`` or ``RedisFailed``.

    Args:
        client: of the server of the queue.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        pool = client.connection_pool
        self._windows = MovingWindowRateLimiter(
            RedisStorage("redis://", connection_pool=pool, key_prefix="pindna:limits")
        )

    def count(self, limit: Limit, subject: str) -> None:
        """Count that somebody does something.

        Args:
            limit: how often it may be done.
            subject: by whom; its digest stands in Redis.

        Raises:
            TooOften: it was done too often; this time is not counted.
        """
        with redis_errors(self._client):
            is_allowed = self._windows.hit(limit.item(), _digest(subject))
        if not is_allowed:
            raise self._refusal(limit, subject)

    def check(self, limit: Limit, subject: str) -> None:
        """Refuse somebody who did something too often; nothing is counted.

        Raises:
            TooOften: it was done too often.
        """
        with redis_errors(self._client):
            is_allowed = self._windows.test(limit.item(), _digest(subject))
        if not is_allowed:
            raise self._refusal(limit, subject)

    def forget(self, limit: Limit, subject: str) -> None:
        """Begin to count anew."""
        with redis_errors(self._client):
            self._windows.clear(limit.item(), _digest(subject))

    def _refusal(self, limit: Limit, subject: str) -> TooOften:
        with redis_errors(self._client):
            reset = self._windows.get_window_stats(limit.item(), _digest(subject)).reset_time
        return TooOften(seconds=min(max(1, math.ceil(reset - time.time())), limit.period_s))


def _digest(subject: str) -> str:
    return hashlib.sha256(subject.encode(errors="surrogatepass")).hexdigest()
