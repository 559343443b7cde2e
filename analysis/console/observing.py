"""What watches over the console asks: whether it is alive, whether it can work, and its metrics.

``/healthz`` and ``/readyz`` are open and say no more than that; metrics take a token with the scope
``metrics:read``. None of the three goes by the name of the host, for they take no cookie, so a foreign name
that resolves to this server (DNS rebinding) gains nothing.
"""

import time
from contextlib import suppress
from http import HTTPStatus
from threading import Lock

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from fastapi.security.utils import get_authorization_scheme_param
from starlette.responses import Response

from analysis.accounts.permissions import Identity
from analysis.accounts.signing_in import digest_of
from analysis.accounts.tokens import identity_of_token
from analysis.api.problems import NotSignedIn, problem, status_of
from analysis.api.services import Services, admit
from analysis.console.installation import Installation
from analysis.health.readiness import readiness
from analysis.queries.metrics import CONTENT_TYPE, InstallationMetrics
from storage.collections.stores import open_stores
from storage.servers.redis_client import open_index, open_redis
from storage.servers.throttle import Throttle
from system.errors import PindnaError, ServiceDown
from tracker.runtime import Runtime

PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
_KNOWN_S = 2.0  # that an answer on readiness is given again: anybody may ask
_PATIENCE_S = 2.0
_TRUSTED_S = 3600.0  # that a token stays valid while MongoDB, which knows of revocations, is away
_MAX_KNOWN = 100


class _Readiness:
    """Whether the console can work, checked every two seconds at most."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = Lock()
        self._states: dict[str, bool] = {}
        self._until = 0.0

    def states(self) -> dict[str, bool]:
        with self._lock:
            if time.monotonic() >= self._until:
                self._states = readiness(self._runtime)
                self._until = time.monotonic() + _KNOWN_S
            return self._states


class _Watchers:
    """Who may read the metrics: by its token, and for a time by what was known of it while MongoDB is away.

    Args:
        runtime: the open services.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._services = Services(runtime, Throttle(open_redis(runtime.settings.storage)))
        self._known: dict[str, tuple[float, Identity]] = {}

    def identity(self, request: Request) -> Identity:
        """Return whose token a request bears.

        Raises:
            NotSignedIn: it bears none that can be used.
            TooOften: it was used too often within the last minute.
            ServiceDown: MongoDB does not answer, and the token is not known from before.
        """
        cached_identity = self._whose(request)
        with suppress(ServiceDown):  # without Redis nothing is counted
            return admit(cached_identity, request, self._services)
        if cached_identity is None:
            raise NotSignedIn
        return cached_identity

    def _whose(self, request: Request) -> Identity | None:
        """Return whose token it is; while MongoDB is away, whose it was."""
        scheme, secret = get_authorization_scheme_param(request.headers.get("authorization"))
        if scheme.lower() != "bearer":
            return None
        digest = digest_of(secret)
        try:
            identity = identity_of_token(self._services.stores, secret)
        except ServiceDown:
            until, cached = self._known.get(digest, (0.0, None))
            if cached is None or time.monotonic() > until:
                raise
            return cached
        self._known.pop(digest, None)
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        if identity is not None:
            self._known[digest] = time.monotonic() + _TRUSTED_S, identity
        return identity


def observing_routes(installation: Installation) -> APIRouter:
    """Return what answers at ``/healthz``, ``/readyz`` and ``/metrics``, also while a service is away."""
    router = APIRouter(include_in_schema=False)
    runtime = _impatient(installation.runtime)
    ready, metrics, watchers = _Readiness(runtime), InstallationMetrics(runtime), _Watchers(runtime)

    @router.get("/healthz")
    def alive() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @router.get("/readyz")
    def can_work() -> PlainTextResponse:
        states = ready.states()
        lines = "".join(f"{name}: {'ok' if is_well else 'not ready'}\n" for name, is_well in states.items())
        is_ready = all(states.values())
        return PlainTextResponse(lines, HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE)

    @router.get("/metrics")
    def respond(request: Request) -> Response:
        try:
            text = metrics.text(watchers.identity(request))
        except PindnaError as error:
            return problem(request, error, status_of(error))
        return Response(text, headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})

    return router


def _impatient(runtime: Runtime) -> Runtime:
    """Return the services with connections that wait two seconds: who watches waits ten at most."""
    timeout_s = min(runtime.settings.storage.timeout_s, _PATIENCE_S)
    storage = runtime.settings.storage.model_copy(update={"timeout_s": timeout_s})
    settings = runtime.settings.model_copy(update={"storage": storage})
    return Runtime(settings, open_stores(storage), open_index(storage), queue=runtime.queue)
