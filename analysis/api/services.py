"""Services of the API, and the authentication of callers: a token in each request, with a rate limit."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from analysis.accounts.permissions import Identity
from analysis.accounts.signing_in import Visitor
from analysis.accounts.tokens import identity_of_token
from analysis.api.problems import NotSignedIn
from storage.collections.stores import Stores
from storage.servers.throttle import Limit, Throttle
from storage.settings import TrackerSettings
from tracker.runtime import Runtime

_MINUTE_S = 60
_REFUSED = Limit(
    "api-refused", times=60, period_s=_MINUTE_S
)  # limit for requests without a valid token from one network
_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of `pindna token add`; it may do what its scopes say, "
    "and never more than its account.",
)


@dataclass(frozen=True, slots=True)
class Services:
    """The services that the API uses.

    Args:
        runtime: settings and open stores.
        throttle: counts requests.
    """

    runtime: Runtime
    throttle: Throttle

    @property
    def stores(self) -> Stores:
        """The database."""
        return self.runtime.stores

    @property
    def tracker(self) -> TrackerSettings:
        """The settings of the daily scan and of comparisons."""
        return self.runtime.settings.tracker


def get_services(request: Request) -> Services:
    """Return the services that the API uses."""
    services: Services = request.app.state.services
    return services


def authenticate(
    request: Request,
    services: Annotated[Services, Depends(get_services)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Identity:
    """Return the identity of the token in a request.

    Raises:
        NotSignedIn: the request has no valid token.
        TooOften: the token was used too often within the last minute.
    """
    secret = bearer.credentials if bearer else ""
    return admit(identity_of_token(services.stores, secret) if secret else None, request, services)


def admit(identity: Identity | None, request: Request, services: Services) -> Identity:
    """Count a request, and return the identity of its caller.

    Args:
        identity: the identity; None: the request has no valid token.
        request: the request.
        services: the services that count requests.

    Raises:
        NotSignedIn: no permitted caller.
        TooOften: there were too many requests within the last minute.
    """
    if identity is None:
        address = request.client.host if request.client else ""
        services.throttle.count(_REFUSED, Visitor(address).network)
        raise NotSignedIn
    per_minute = services.runtime.settings.analysis.server.requests_per_minute
    services.throttle.count(Limit("api", times=per_minute, period_s=_MINUTE_S), identity.token)
    return identity


CallerIdentity = Annotated[Identity, Depends(authenticate)]
ApiServices = Annotated[Services, Depends(get_services)]
