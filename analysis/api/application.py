"""The REST API as an application, which the console's server mounts at ``/api``."""

from pathlib import Path

import fastapi_offline
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.staticfiles import StaticFiles

from analysis.api.bounds import Bounds
from analysis.api.models.common import Problem
from analysis.api.problems import handle_errors
from analysis.api.routes import (
    audit,
    candidates,
    cases,
    check,
    evidence,
    holders,
    matches,
    notices,
    pages,
    scans,
    settings,
    sites,
    sources,
    works,
)
from analysis.api.routes.common import ERRORS
from analysis.api.services import Services
from crawler.sources.definition import definition_schema
from storage.servers.throttle import Throttle
from system.version import VERSION
from tracker.runtime import Runtime

_MAX_BODY = 4 * 1024 * 1024
_MEGABYTE = 1024 * 1024
_FILES = Path(fastapi_offline.__file__).parent / "static"
_ROUTERS = tuple(
    module.router
    for module in (
        works,
        holders,
        sources,
        candidates,
        scans,
        pages,
        matches,
        cases,
        evidence,
        notices,
        sites,
        check,
        settings,
        audit,
    )
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>pindna API</title>
<link rel="stylesheet" href="docs/files/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="docs/files/swagger-ui-bundle.js"></script><script src="docs/begin.js"></script></body></html>
"""
_BEGIN = 'SwaggerUIBundle({url: "v1/openapi.json", dom_id: "#swagger-ui", deepLinking: true});\n'
_DESCRIPTION = """\
What the console shows and does, for programs. Each request bears a token; what it may do is said by its
scopes and its account. Lists come in parts: `next` is the cursor of the next one. Errors are problems after
RFC 9457. What starts, makes or sends something takes an `Idempotency-Key`.
"""


def create_api(runtime: Runtime, throttle: Throttle) -> FastAPI:
    """Return the API. Its paths begin with ``/v1``, and its documentation for readers is at ``/docs``.

    Args:
        runtime: settings and open stores.
        throttle: counts requests.
    """
    app = FastAPI(
        title="pindna",
        version=VERSION,
        description=_DESCRIPTION,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.services = Services(runtime, throttle)
    for router in _ROUTERS:
        app.include_router(router, prefix="/v1", responses=ERRORS)
    _describe_parts(app)
    _add_docs(app)
    handle_errors(app)
    of_files = runtime.settings.analysis.server.upload_megabytes * _MEGABYTE
    app.add_middleware(
        Bounds, most=_MAX_BODY, of_files=of_files, file_paths=("/check/file", "/works", "/candidates/import")
    )
    return app


def _describe_parts(app: FastAPI) -> None:
    """Add the schemas of errors and sources, which paths refer to by name, to the OpenAPI description."""
    describe = app.openapi

    def describe_with_parts() -> dict[str, object]:
        schema = describe()
        schemas = schema.setdefault("components", {}).setdefault("schemas", {})
        schemas.setdefault("Problem", Problem.model_json_schema())
        parts = f"#/components/schemas/{sources.DEFINITION}/$defs/{{model}}"
        schemas.setdefault(sources.DEFINITION, definition_schema(parts))
        return schema

    app.openapi = describe_with_parts  # type: ignore[method-assign]


def _add_docs(app: FastAPI) -> None:
    """Serve the documentation for readers from local files, including its scripts."""

    @app.get("/docs", include_in_schema=False)
    def docs(request: Request) -> HTMLResponse:
        root = request.scope.get("root_path", "")
        page = _PAGE.replace('"docs/', f'"{root}/docs/')
        return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})

    @app.get("/docs/begin.js", include_in_schema=False)
    def begin(request: Request) -> PlainTextResponse:
        root = request.scope.get("root_path", "")
        script = _BEGIN.replace('"v1/', f'"{root}/v1/')
        return PlainTextResponse(script, media_type="text/javascript")

    app.mount("/docs/files", StaticFiles(directory=_FILES), name="docs-files")
