"""Reads and checks the definition of a source in TOML; every error names the key.

    name = "example-novels"
    kind = "novel"
    urls = ["https://novels.example/book/12/"]

    [limits]
    pages = 5000

docs/sources.md describes every key. Command-line options pass the same checks.
"""

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import regex
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from crawler.download.forwarding.socks import is_socks, socks_proxy
from crawler.extraction.rules import BadRules, rules_from
from crawler.lists.links import matches
from crawler.sources.search_definition import DiscoverySection
from crawler.sources.values import check_headers, check_variables, web_address
from storage.records import MAX_MINUTES, Login, Rendering, Source, windows_of, zone_of
from system.errors import PindnaError
from system.local_files import read_file
from system.messages import N_
from system.urls import address_problem
from system.validation import refused_value_problem, toml_problem

MAX_LIST_BYTES = 15_000_000  # maximum size of a source's addresses, because a document has at most 16 MB
_LISTED_BYTES = 15  # overhead of each address in the document
_PROBES = ("", "/" + "a" * 40 + "/" + "1" * 40 + ".html")
_PROXY = "http://"  # Scrapy's handler always uses HTTP to the proxy
_VARIABLE = regex.compile(r"\$\{\w+\}")


class BadSource(PindnaError):
    """The definition of a source is wrong.

    Attributes:
        where, problem: the file and key, and what is wrong.
    """

    template = "{where}: {problem}. Correct it and try again."


class _SourceSection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Limits(_SourceSection):
    pages: Annotated[int, Field(ge=1)] = 10_000
    depth: Annotated[int, Field(ge=0, le=50)] = 5
    minutes: Annotated[float, Field(gt=0, le=7 * 24 * 60)] = MAX_MINUTES


class _Pace(_SourceSection):
    delay_s: Annotated[float, Field(ge=0, le=3600)] | None = None
    concurrency: Annotated[int, Field(ge=1, le=64)] | None = None
    interval_h: Annotated[float, Field(ge=0, le=10 * 366 * 24)] = 0.0
    hours: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    processes: Annotated[int, Field(ge=1, le=64)] = 1

    @field_validator("hours")
    @classmethod
    def _check_hours(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(str, windows_of(value)))


class _Robots(_SourceSection):
    obey: bool = True
    reason: str = ""

    @model_validator(mode="after")
    def _require_reason(self) -> "_Robots":
        if not self.obey and not self.reason.strip():
            raise ValueError(N_("enter in robots.reason why robots.txt is not obeyed"))
        return self


class _Login(_SourceSection):
    url: str
    fields: dict[str, str]
    check: str = ""

    _web = field_validator("url")(web_address)

    @field_validator("fields")
    @classmethod
    def _check_fields(cls, value: dict[str, str]) -> dict[str, str]:
        check_variables(value.values())
        return value


class _Access(_SourceSection):
    user_agent: Annotated[str, Field(pattern=r"^[\x20-\x7e]*$")] = ""
    headers: tuple[dict[str, str], ...] = ()
    cookies: dict[str, str] | None = None
    login: _Login | None = None
    proxies: tuple[str, ...] = ()

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, value: tuple[dict[str, str], ...]) -> tuple[dict[str, str], ...]:
        for headers in value:
            check_headers(headers)
        return value

    @field_validator("cookies")
    @classmethod
    def _check_cookies(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        check_variables((value or {}).values())
        return value

    @field_validator("proxies")
    @classmethod
    def _check_proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        check_variables(value)
        for url in value:
            if is_socks(url):
                # a variable is replaced by 1, which is valid as a word and as a number
                socks_proxy(_VARIABLE.sub("1", url))
            elif not url.startswith(_PROXY):
                raise ValueError(N_("the address of a proxy must begin with http://, socks5:// or socks4://"))
            elif problem := address_problem(_VARIABLE.sub("1", url)):
                raise ValueError(problem)
        return value


class _Definition(_SourceSection):
    name: Annotated[str, Field(min_length=1, max_length=100)]
    kind: Literal["news", "novel", "site", "urls", "discovery"] = "news"
    urls: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    follow: str = ""
    exclude: str = ""
    enabled: bool = True
    limits: _Limits = _Limits()
    pace: _Pace = _Pace()
    robots: _Robots = _Robots()
    access: _Access = _Access()
    discovery: DiscoverySection | None = None
    rules: dict[str, str | tuple[str, ...]] = {}
    timezone: str = "+08:00"
    render: Rendering = "auto"
    screenshot: bool = False

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if not value.strip() or not value.isprintable() or value.startswith("-"):
            raise ValueError(
                N_("the name of a source must consist of printable characters and not begin with a hyphen")
            )
        return value

    @field_validator("urls", "sitemaps", "feeds")
    @classmethod
    def _check_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(web_address(url) for url in value)

    @field_validator("follow", "exclude")
    @classmethod
    def _check_expression(cls, value: str) -> str:
        try:
            for probe in _PROBES:
                matches(value, f"http://example.com{probe}")
        except regex.error as error:
            raise ValueError(N_("not a valid regular expression")) from error
        except TimeoutError as error:
            raise ValueError(N_("the expression takes too long on some addresses")) from error
        return value

    @field_validator("timezone")
    @classmethod
    def _check_timezone(cls, value: str) -> str:
        zone_of(value)
        return value

    @model_validator(mode="after")
    def _check_kind(self) -> "_Definition":
        if self.kind == "discovery":
            if self.discovery is None:
                raise ValueError(N_("a source of kind discovery needs a section [discovery] with an engine"))
        elif not (self.urls or (self.kind in ("news", "site") and (self.sitemaps or self.feeds))):
            raise ValueError(N_("a source needs start addresses in urls"))
        if (self.sitemaps or self.feeds) and self.kind not in ("news", "site"):
            raise ValueError(N_("only sources of kind news and site can have sitemaps and feeds"))
        return self

    @model_validator(mode="after")
    def _check_length(self) -> "_Definition":
        addresses = (*self.urls, *self.sitemaps, *self.feeds)
        if sum(len(url.encode()) + _LISTED_BYTES for url in addresses) > MAX_LIST_BYTES:
            raise ValueError(N_("too many addresses for one source; divide them among several sources"))
        return self

    @model_validator(mode="after")
    def _check_rendering(self) -> "_Definition":
        if self.screenshot and self.render is not True:
            raise ValueError(N_("screenshots need render = true, because the browser takes them"))
        if self.render is True and self.access.proxies:
            raise ValueError(N_("render = true and access.proxies cannot be combined; remove one of them"))
        return self


def source_from_file(path: Path) -> Source:
    """Return the source that a TOML file defines.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        BadSource: the definition is wrong.
    """
    try:
        text = read_file(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadSource(where=str(path), problem="the file is not UTF-8 text") from error
    return source_from_text(text, where=str(path))


def source_from_text(text: str, *, where: str) -> Source:
    """Return the source that a text in TOML defines.

    Args:
        text: content of a file.
        where: shown in errors, before the key.

    Raises:
        BadSource: the definition is wrong.
    """
    try:
        values = tomllib.loads(text)
    except ValueError as error:  # ValueError is also raised for a number with too many digits
        raise BadSource(where=where, problem=toml_problem(error)) from error
    except RecursionError as error:
        raise BadSource(where=where, problem="it is nested too deeply") from error
    return source_from(values, where=where)


def definition_of(source: Source) -> dict[str, Any]:
    """Return the definition of a source as values for :func:`source_from`, without defaults."""
    values = {
        "name": source.name,
        "kind": source.kind,
        "urls": source.start_urls,
        "sitemaps": source.sitemaps,
        "feeds": source.feeds,
        "follow": source.follow,
        "exclude": source.exclude,
        "enabled": source.enabled,
        "timezone": source.timezone,
        "render": source.render,
        "screenshot": source.screenshot,
        "limits": {"pages": source.max_pages, "depth": source.max_depth, "minutes": source.max_minutes},
        "pace": {
            "delay_s": source.delay_s,
            "concurrency": source.concurrency,
            "interval_h": source.interval_h,
            "hours": source.hours,
            "processes": source.processes,
        },
        "robots": {"obey": source.obey_robots, "reason": source.robots_reason},
        "access": {
            "user_agent": source.user_agent,
            "headers": source.header_sets,
            "cookies": source.cookies,
            "proxies": source.proxies,
            "login": asdict(source.login) if source.login else None,
        },
        "discovery": asdict(source.discovery) if source.discovery else None,
        "rules": {name: value for name, value in asdict(source.rules).items() if value},
    }
    validated = _Definition.model_validate(values)
    return validated.model_dump(mode="json", exclude_defaults=True) | {
        "name": source.name,
        "kind": source.kind,
    }


def definition_schema(ref_template: str) -> dict[str, Any]:
    """Return the JSON Schema of the values for :func:`source_from`.

    Args:
        ref_template: address of a definition, with ``{model}`` for its name.
    """
    return _Definition.model_json_schema(ref_template=ref_template)


def source_from(values: dict[str, Any], *, where: str) -> Source:
    """Return the source that some values define.

    Args:
        values: by key, as in a TOML file; sections are dictionaries.
        where: shown in errors, before the key.

    Raises:
        BadSource: a value is wrong, missing or unknown.
    """
    try:
        definition = _Definition.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(step) for step in first["loc"])
        problem = refused_value_problem(first, unknown=N_("there is no such key"))
        raise BadSource(where=f"{where}: {key}" if key else where, problem=problem) from error
    try:
        return _source_of(definition)
    except BadRules as error:
        data = error.data
        raise BadSource(where=f"{where}: rules.{data['name']}", problem=data["problem"]) from error


def _source_of(definition: _Definition) -> Source:
    access = definition.access
    return Source(
        name=definition.name,
        kind=definition.kind,
        start_urls=definition.urls,
        sitemaps=definition.sitemaps,
        feeds=definition.feeds,
        follow=definition.follow,
        exclude=definition.exclude,
        max_pages=definition.limits.pages,
        max_depth=definition.limits.depth,
        max_minutes=definition.limits.minutes,
        delay_s=definition.pace.delay_s,
        concurrency=definition.pace.concurrency,
        interval_h=definition.pace.interval_h,
        hours=definition.pace.hours,
        processes=definition.pace.processes,
        obey_robots=definition.robots.obey,
        robots_reason=definition.robots.reason,
        user_agent=access.user_agent,
        header_sets=access.headers,
        cookies=access.cookies,
        login=Login(**access.login.model_dump()) if access.login else None,
        proxies=access.proxies,
        discovery=definition.discovery.record() if definition.discovery else None,
        rules=rules_from(definition.rules),
        timezone=definition.timezone,
        render=definition.render,
        screenshot=definition.screenshot,
        enabled=definition.enabled,
    )
