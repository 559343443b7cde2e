"""Rate limits in Redis, shared by all processes of an installation.

A limit is a maximum number of actions in a moving window of seconds. If Redis loses its data, counting starts
again.
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
    """An action was repeated too often. Data: ``seconds``."""

    template = "Too many attempts. Try again in {seconds} seconds."


@dataclass(frozen=True, slots=True)
class Limit:
    """How often an action is allowed.

    Attributes:
        name: name of the limited action; part of the key.
        times: maximum number.
        period_s: length of the window in seconds.
    """

    name: str
    times: int
    period_s: int

    def item(self) -> RateLimitItemPerSecond:
        """The limit as an object of the library ``limits``."""
        return RateLimitItemPerSecond(self.times, self.period_s, namespace=self.name)


class Throttle:
    """Counts actions and refuses those above a limit.

    Every method raises ``ServiceDown`` or ``RedisFailed``.

    Args:
        client: client of the queue's server.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        pool = client.connection_pool
        self._windows = MovingWindowRateLimiter(
            RedisStorage("redis://", connection_pool=pool, key_prefix="pindna:limits")
        )

    def count(self, limit: Limit, subject: str) -> None:
        """Count an action.

        Args:
            limit: the limit.
            subject: who acts; Redis stores its digest.

        Raises:
            TooOften: the limit is exceeded; this action is not counted.
        """
        with redis_errors(self._client):
            is_allowed = self._windows.hit(limit.item(), _subject_digest(subject))
        if not is_allowed:
            raise self._too_often_error(limit, subject)

    def check(self, limit: Limit, subject: str) -> None:
        """Refuse a subject that is above its limit; the check itself is not counted.

        Raises:
            TooOften: the limit is exceeded.
        """
        with redis_errors(self._client):
            is_allowed = self._windows.test(limit.item(), _subject_digest(subject))
        if not is_allowed:
            raise self._too_often_error(limit, subject)

    def forget(self, limit: Limit, subject: str) -> None:
        """Reset the count of a subject."""
        with redis_errors(self._client):
            self._windows.clear(limit.item(), _subject_digest(subject))

    def _too_often_error(self, limit: Limit, subject: str) -> TooOften:
        with redis_errors(self._client):
            reset = self._windows.get_window_stats(limit.item(), _subject_digest(subject)).reset_time
        return TooOften(seconds=min(max(1, math.ceil(reset - time.time())), limit.period_s))


def _subject_digest(subject: str) -> str:
    return hashlib.sha256(subject.encode(errors="surrogatepass")).hexdigest()
