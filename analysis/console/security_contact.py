"""``/.well-known/security.txt`` (RFC 9116): whom to write to about a vulnerability of this installation.

It is served to everyone if the setting ``analysis.server.security_contact`` has an address.
"""

from datetime import UTC, datetime, time, timedelta
from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from storage.records import utc_now
from storage.settings.results import ServerSettings

PATH = "/.well-known/security.txt"
_VALID = timedelta(days=90)  # a copy expires after this time; the RFC recommends less than a year


def security_routes(settings: ServerSettings) -> APIRouter:
    """Return the route of ``security.txt``."""
    router = APIRouter(include_in_schema=False)

    @router.get(PATH)
    def contact() -> PlainTextResponse:
        if not settings.security_contact:
            return PlainTextResponse("404 Not Found\n", HTTPStatus.NOT_FOUND)
        return PlainTextResponse(security_text(settings, utc_now()))

    return router


def security_text(settings: ServerSettings, now: datetime) -> str:
    """Return the fields of RFC 9116.

    Args:
        settings: the contact, and the public address of the console.
        now: time of the request, aware.
    """
    expires = datetime.combine((now + _VALID).astimezone(UTC), time(), UTC)
    fields = [
        ("Contact", settings.security_contact),
        ("Expires", expires.strftime("%Y-%m-%dT%H:%M:%SZ")),
        ("Preferred-Languages", "zh, en"),
    ]
    if settings.public_url.startswith("https://"):
        fields.append(("Canonical", settings.public_url.rstrip("/") + PATH))
    return "".join(f"{name}: {value}\n" for name, value in fields)
