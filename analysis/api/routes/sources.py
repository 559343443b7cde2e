"""``/sources``."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel
from pydantic_core import from_json

from analysis.actions import source_trials
from analysis.actions import sources as actions
from analysis.api.models.common import Part, part
from analysis.api.models.sources import DefinitionAnswer, SavedSource, SourceAnswer, StepAnswer, Trial
from analysis.api.once import Idempotency
from analysis.api.problems import WrongContentType
from analysis.api.routes.common import Cursor, Limit, Name, example
from analysis.api.services import ApiServices, CallerIdentity, Services
from analysis.queries import sources
from analysis.queries.listing import DEFAULT_LIMIT
from crawler.sources.definition import BadSource, definition_of, source_from, source_from_text
from crawler.sources.proposed_kind import proposed_kind
from storage.records import Source

router = APIRouter(tags=["sources"])
DEFINITION = "SourceDefinition"  # name of the schema in the API's description
_JSON, _TOML = "application/json", "application/toml"
_WHERE = "body"
_EXAMPLE = {
    "name": "portal",
    "kind": "news",
    "urls": ["https://news.example/"],
    "limits": {"pages": 500},
    "pace": {"delay_s": 2.0},
}
_EXAMPLE_TOML = """\
name = "portal"
kind = "news"
urls = ["https://news.example/"]

[limits]
pages = 500
"""
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "docs/sources.md describes every key.",
        "content": {
            _JSON: {"schema": {"$ref": f"#/components/schemas/{DEFINITION}"}, "example": _EXAMPLE},
            _TOML: {"schema": {"type": "string"}, "example": _EXAMPLE_TOML},
        },
    }
}


async def _given(request: Request, identity: CallerIdentity) -> Source:
    """Return the source that a body defines, as JSON or as TOML.

    Raises:
        NotPermitted: the user may not change sources.
        WrongContentType: it is neither.
        BadSource: something in it is wrong.
    """
    identity.require("sources:write")
    form = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    try:
        match form:
            case "application/json":
                values = from_json(body)
            case "application/toml":
                return source_from_text(body.decode("utf-8"), where=_WHERE)
            case _:
                raise WrongContentType(wanted=f"{_JSON}, {_TOML}")
    except UnicodeDecodeError as error:
        raise BadSource(where=_WHERE, problem="it cannot be read as UTF-8 text") from error
    except ValueError as error:
        raise BadSource(where=_WHERE, problem="not JSON") from error
    return source_from(values, where=_WHERE)


Defined = Annotated[Source, Depends(_given)]
ExpectedVersion = Annotated[
    str, Query(alias="seen", max_length=100, description="`version` that was looked at; empty: any")
]


class Enabled(BaseModel):
    """Whether scans crawl a source."""

    model_config = example({"enabled": False})

    enabled: bool


class _Sent(BaseModel):
    """A definition as the body that belongs to an idempotency key."""

    definition: dict[str, Any]


def _saved_source(services: Services, source: Source) -> SavedSource:
    return SavedSource.of(source, services.runtime.settings.crawler.allow_inner)


@router.get("/sources")
def list_sources(
    identity: CallerIdentity, services: ApiServices, cursor: Cursor = "", limit: Limit = DEFAULT_LIMIT
) -> Part[SourceAnswer]:
    """List sources with their health, sorted by name."""
    listing = sources.list_sources(identity, services.stores, services.tracker, cursor=cursor, limit=limit)
    return part(listing, [SourceAnswer.of(view) for view in listing.items])


@router.post("/sources", status_code=HTTPStatus.CREATED, response_model=SavedSource, openapi_extra=_BODY)
def add_source(
    identity: CallerIdentity, services: ApiServices, once: Idempotency, source: Defined
) -> Response:
    """Add a source from JSON, or from the TOML of its file."""
    identity.require("sources:write")

    def act() -> SavedSource:
        return _saved_source(services, actions.save_source(identity, services.runtime, source, previous=None))

    return once.answer(_Sent(definition=definition_of(source)), act)


@router.post("/sources/trial", openapi_extra=_BODY)
def try_source(identity: CallerIdentity, services: ApiServices, source: Defined) -> Trial:
    """Fetch a few pages as a crawl of the source would, and return the results without storing them.

    This may take some minutes. If too many sources are being tried, the response is 503.
    """
    steps = source_trials.try_source(identity, services.runtime, source)
    return Trial(
        steps=[StepAnswer.model_validate(step) for step in steps],
        proposed_kind=proposed_kind(source.kind, steps),
    )


@router.get("/sources/{name}")
def get_source(identity: CallerIdentity, services: ApiServices, name: Name) -> SourceAnswer:
    """Show a source."""
    return SourceAnswer.of(sources.get_source(identity, services.stores, services.tracker, name))


@router.get("/sources/{name}/definition")
def get_definition(identity: CallerIdentity, services: ApiServices, name: Name) -> DefinitionAnswer:
    """Show the definition of a source, without credentials and proxies if the caller may not change it."""
    definition, version = sources.definition(identity, services.stores, name)
    return DefinitionAnswer(definition=definition, version=version)


@router.put("/sources/{name}/definition", openapi_extra=_BODY)
def change_source(
    identity: CallerIdentity,
    services: ApiServices,
    name: Name,
    source: Defined,
    expected_version: ExpectedVersion = "",
) -> SavedSource:
    """Replace the definition of a source by the body.

    With `seen`, the request is refused if the source now has another version.
    """
    return _saved_source(
        services,
        actions.change_source(identity, services.runtime, name, source, expected_version=expected_version),
    )


@router.put("/sources/{name}/enabled")
def switch_source(identity: CallerIdentity, services: ApiServices, name: Name, body: Enabled) -> SavedSource:
    """Enable a source, which also ends its pause, or disable it."""
    return _saved_source(
        services, actions.switch_source(identity, services.runtime, name, enabled=body.enabled)
    )


@router.delete("/sources/{name}", status_code=HTTPStatus.NO_CONTENT)
def remove_source(identity: CallerIdentity, services: ApiServices, name: Name) -> None:
    """Delete a source, its health and its alerts. Its pages stay."""
    actions.remove_source(identity, services.runtime, name)
