"""Endpoints for monitoring programs: liveness, readiness and metrics.

``/healthz`` and ``/readyz`` need no token and reveal nothing else. Metrics need a token with the scope
``metrics:read``. The host name is not checked, because these endpoints ignore cookies: an attack by DNS
rebinding would gain nothing.
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
_KNOWN_S = 2.0  # readiness is cached for this time, because everybody may request it
_PATIENCE_S = 2.0
_TRUSTED_S = 3600.0  # a token stays valid for this time while MongoDB is down and revocations cannot be read
_MAX_KNOWN = 100


class _Readiness:
    """Readiness of the console, checked at most every two seconds."""

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
    """Checks the tokens of requests for metrics. While MongoDB is down, a valid token stays valid.

    Args:
        runtime: the open services.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._services = Services(runtime, Throttle(open_redis(runtime.settings.storage)))
        self._known: dict[str, tuple[float, Identity]] = {}

    def identity(self, request: Request) -> Identity:
        """Return the identity of the token in a request.

        Raises:
            NotSignedIn: it bears none that can be used.
            TooOften: it was used too often within the last minute.
            ServiceDown: MongoDB does not answer, and the token is not known from before.
        """
        cached_identity = self._whose(request)
        with suppress(ServiceDown):  # without Redis, requests are not counted
            return admit(cached_identity, request, self._services)
        if cached_identity is None:
            raise NotSignedIn
        return cached_identity

    def _whose(self, request: Request) -> Identity | None:
        """Return the identity of a token; while MongoDB is down, the last known identity."""
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
    """Return the routes of ``/healthz``, ``/readyz`` and ``/metrics``. They work while a service is down."""
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
    """Return the services with a connection time-out of two seconds: monitoring programs wait ten at most."""
    timeout_s = min(runtime.settings.storage.timeout_s, _PATIENCE_S)
    storage = runtime.settings.storage.model_copy(update={"timeout_s": timeout_s})
    settings = runtime.settings.model_copy(update={"storage": storage})
    return Runtime(settings, open_stores(storage), open_index(storage), queue=runtime.queue)
