"""Return errors as ``application/problem+json`` (RFC 9457), in the language that the request prefers."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from analysis.accounts.permissions import NotPermitted
from analysis.actions.candidates import CandidateDecided
from analysis.actions.licences import LicenceExists
from analysis.actions.review import MatchChanged, MatchLocked
from analysis.actions.settings import SettingChanged, SettingFixed
from analysis.actions.sources import SourceChanged, SourceExists
from analysis.notices.sending import CannotSend
from analysis.reading.untrusted_pages import Busy
from analysis.words.i18n import Translator, accepted_language, translator
from storage.collections.accounts import AccountChanged, KnownAccount, LastAdministrator
from storage.collections.cases import CaseMoved
from storage.collections.documents import StorageFailed
from storage.servers.throttle import TooOften
from system.bugs import record_bug
from system.errors import IndexBusy, IndexUnusable, PindnaError, ServiceDown, UnknownRecord
from system.messages import N_
from system.validation import refused_value_problem
from tracker.corpus.regrouping import TitleTaken
from tracker.corpus.removal import NameTaken
from tracker.review.decisions import DecisionConflict
from tracker.scans.turns import StillScanning

MEDIA_TYPE = "application/problem+json"


class NotSignedIn(PindnaError):
    """A request has no valid token."""

    template = "Send a valid token, for example `Authorization: Bearer pindna_…`."


class BadRequest(PindnaError):
    """A request violates the API's description.

    Attributes:
        where: the wrong field.
        problem: the reason.
    """

    template = "{where}: {problem}"


class WrongContentType(PindnaError):
    """A body has a content type that the path does not accept.

    Attributes:
        wanted: the accepted type.
    """

    code = "other-form"
    template = "Send the body as {wanted} and set the Content-Type header."


class IdempotencyKeyReused(PindnaError):
    """An idempotency key was already used with another body."""

    code = "key-reused"
    template = "This Idempotency-Key was already used with another body. Use a new key for another request."


class RequestInProgress(PindnaError):
    """An earlier request with the idempotency key is still running."""

    code = "still-answering"
    template = "A request with this Idempotency-Key is still running. Send it again in a few seconds."


# The refusals of the web framework.
_REFUSALS: Mapping[HTTPStatus, str] = MappingProxyType(
    {
        HTTPStatus.BAD_REQUEST: N_("the request cannot be read"),
        HTTPStatus.NOT_FOUND: N_("there is nothing at this address"),
        HTTPStatus.METHOD_NOT_ALLOWED: N_("this address does not accept this method"),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: N_("the request is too large"),
    }
)
# Any other PindnaError is an error of the request: 422.
_STATUS: Mapping[type[PindnaError], HTTPStatus] = MappingProxyType(
    {
        UnknownRecord: HTTPStatus.NOT_FOUND,
        NotPermitted: HTTPStatus.FORBIDDEN,
        TooOften: HTTPStatus.TOO_MANY_REQUESTS,
        AccountChanged: HTTPStatus.CONFLICT,
        KnownAccount: HTTPStatus.CONFLICT,
        LastAdministrator: HTTPStatus.CONFLICT,
        CaseMoved: HTTPStatus.CONFLICT,
        DecisionConflict: HTTPStatus.CONFLICT,
        MatchLocked: HTTPStatus.CONFLICT,
        MatchChanged: HTTPStatus.CONFLICT,
        SourceExists: HTTPStatus.CONFLICT,
        SourceChanged: HTTPStatus.CONFLICT,
        SettingChanged: HTTPStatus.CONFLICT,
        SettingFixed: HTTPStatus.CONFLICT,
        CandidateDecided: HTTPStatus.CONFLICT,
        LicenceExists: HTTPStatus.CONFLICT,
        TitleTaken: HTTPStatus.CONFLICT,
        NameTaken: HTTPStatus.CONFLICT,
        WrongContentType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        StillScanning: HTTPStatus.CONFLICT,
        RequestInProgress: HTTPStatus.CONFLICT,
        CannotSend: HTTPStatus.CONFLICT,
        Busy: HTTPStatus.SERVICE_UNAVAILABLE,
        ServiceDown: HTTPStatus.SERVICE_UNAVAILABLE,
        StorageFailed: HTTPStatus.SERVICE_UNAVAILABLE,
        IndexUnusable: HTTPStatus.SERVICE_UNAVAILABLE,
        IndexBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    }
)


def status_of(error: PindnaError) -> HTTPStatus:
    """Return the HTTP status of an error."""
    if isinstance(error, NotSignedIn):
        return HTTPStatus.UNAUTHORIZED
    of_class = (status for kind, status in _STATUS.items() if isinstance(error, kind))
    return next(of_class, HTTPStatus.UNPROCESSABLE_ENTITY)


def handle_errors(app: FastAPI) -> None:
    """Make an application return every error as a problem."""

    @app.exception_handler(PindnaError)
    def pindna_problem(request: Request, error: PindnaError) -> JSONResponse:
        return problem(request, error, status_of(error))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        if (content_type := _other_form(request)) is not None:
            return problem(request, WrongContentType(wanted=content_type), HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        first = error.errors()[0]
        where = ".".join(str(segment) for segment in first["loc"])
        return problem(
            request,
            BadRequest(where=where, problem=refused_value_problem(first)),
            HTTPStatus.UNPROCESSABLE_ENTITY,
        )

    @app.exception_handler(HTTPException)
    def of_http(request: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        refusal = BadRequest(
            where=request.url.path, problem=_REFUSALS.get(status, N_("the request was refused"))
        )
        answer = problem(request, refusal, status, reason=status.name.lower().replace("_", "-"))
        answer.headers.update(error.headers or {})  # for example, the header with the allowed methods
        return answer

    @app.exception_handler(Exception)
    def bug(request: Request, error: Exception) -> JSONResponse:
        record_bug(error)
        refusal = BadRequest(
            where=request.url.path, problem=N_("pindna failed unexpectedly; the details are on the server")
        )
        return problem(request, refusal, HTTPStatus.INTERNAL_SERVER_ERROR, reason="unexpected")


def _other_form(request: Request) -> str | None:
    """Return the content type that a path accepts, if the body has another one; else None."""
    field = getattr(request.scope.get("route"), "body_field", None)
    if field is None:
        return None
    expected: str = field.field_info.media_type
    received = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return None if received == expected else expected


def problem(request: Request, error: PindnaError, status: HTTPStatus, *, reason: str = "") -> JSONResponse:
    """Return the response for an error. ``reason`` replaces the error's name for programs."""
    headers = {"Retry-After": str(error.data["seconds"])} if isinstance(error, (TooOften, Busy)) else {}
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    content = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": language_of(request).error(error),
        "reason": reason or error.reason,
    }
    return JSONResponse(content, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def language_of(request: Request) -> Translator:
    """Return the translations for the language that a request prefers, else for the configured language."""
    return translator(accepted_language(request.headers.get("accept-language", "")), "api")
