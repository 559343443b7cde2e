"""Errors as ``application/problem+json`` (RFC 9457), worded in the language that was asked for."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from analysis.accounts.permissions import NotPermitted
from analysis.i18n import Translator, translator
from storage.bugs import record_bug
from storage.collections.accounts import AccountChanged, KnownAccount, LastAdministrator
from storage.collections.cases import CaseMoved
from storage.errors import IndexBusy, IndexUnusable, PindnaError, ServiceDown, UnknownRecord
from storage.language import Language
from storage.throttle import TooOften

_TYPE = "application/problem+json"
# The first class that an error is of decides; any other error of ours is one of the request.
_STATUS: Mapping[type[PindnaError], HTTPStatus] = MappingProxyType(
    {
        UnknownRecord: HTTPStatus.NOT_FOUND,
        NotPermitted: HTTPStatus.FORBIDDEN,
        TooOften: HTTPStatus.TOO_MANY_REQUESTS,
        AccountChanged: HTTPStatus.CONFLICT,
        KnownAccount: HTTPStatus.CONFLICT,
        LastAdministrator: HTTPStatus.CONFLICT,
        CaseMoved: HTTPStatus.CONFLICT,
        ServiceDown: HTTPStatus.SERVICE_UNAVAILABLE,
        IndexUnusable: HTTPStatus.SERVICE_UNAVAILABLE,
        IndexBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    }
)


class NotSignedIn(PindnaError):
    """A request has no token, or none that can be used."""

    template = "Send a token that can be used: Authorization: Bearer pindna_…"


class BugRecorded(PindnaError):
    """Something went wrong that is a mistake of pindna. Data: ``path``."""

    template = "An error of pindna itself. Those who run it find it in their log."


def status_of(error: PindnaError) -> HTTPStatus:
    """Return the HTTP status that tells an error."""
    if isinstance(error, NotSignedIn):
        return HTTPStatus.UNAUTHORIZED
    found = (status for kind, status in _STATUS.items() if isinstance(error, kind))
    return next(found, HTTPStatus.UNPROCESSABLE_ENTITY)
