"""Fills in the login form of a source before its crawl.

The login is sent only to the source's own sites, even if the form or a redirect names another site.
"""

from typing import TYPE_CHECKING, Any

from form2request import form2request
from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK

from crawler.download.own_sites import own_sites_of
from crawler.download.proxies import expand_variables
from crawler.failures import failure_reason
from crawler.meta import LOGIN
from storage.records import Login, Source
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine

_ERROR = 400


class LoginFailed(Exception):
    """The form could not be filled in, or the site rejected the login."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def log_in(login: Login, *, source: Source, engine: "ExecutionEngine | None") -> None:
    """Fetch the form, send it, and check the answer; the crawl keeps the cookies.

    Raises:
        LoginFailed: the form is missing or leads to another site, or the answer is not the expected one.
        MissingVariable, OpenVariable: a value is in an environment variable that cannot be read.
    """
    if engine is None:
        raise LoginFailed("login")
    values = {name: expand_variables(value, source=source.name) for name, value in login.fields.items()}
    page = await _download(engine, Request(login.url, dont_filter=True, callback=NO_CALLBACK))
    if not isinstance(page, TextResponse) or page.status >= _ERROR:
        raise LoginFailed("login")
    try:
        form = form2request(_filled_form(page, values), values)
    except (ValueError, LookupError) as error:
        raise LoginFailed("login") from error
    if not own_sites_of(source).has(form.url):
        raise LoginFailed("login-elsewhere")
    answer = await _download(engine, form.to_scrapy(NO_CALLBACK, dont_filter=True, meta={LOGIN: True}))
    if answer.status >= _ERROR or (
        login.check.encode() not in answer.body and login.check not in _response_text(answer)
    ):
        raise LoginFailed("login")


def _filled_form(page: TextResponse, values: dict[str, str]) -> Any:
    """Return the form with the fields; a page may have a search form, too.

    Raises:
        LookupError: no form has the fields.
    """
    for form in page.css("form"):
        if set(values) <= set(form.css("[name]::attr(name)").getall()):
            return form
    raise LookupError("no such form")


async def _download(engine: "ExecutionEngine", request: Request) -> Response:
    try:
        return await engine.download_async(request)
    except PindnaError:
        raise
    except Exception as error:  # a download may raise any exception
        raise LoginFailed(failure_reason(error)) from error


def _response_text(response: Response) -> str:
    return response.text if isinstance(response, TextResponse) else ""
