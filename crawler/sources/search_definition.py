"""Checks the section ``[discovery]`` of a source: which search engine it uses, how, and for what price."""

import re
from pathlib import PurePath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from crawler.sources.values import check_headers, web_address
from crawler.spiders.searches import BRAVE, MAX_BRAVE_PAGES, PLACEHOLDERS
from storage.records import DEFAULT_ANSWER, Discovery, SearchAnswer
from system.messages import N_, Message

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_UNKNOWN = N_("{name} is not a placeholder; the placeholders are query, count, page, page0 and offset")
_NO_KEY = N_("Brave needs its key in discovery.headers, as X-Subscription-Token")
_TOKEN = "x-subscription-token"  # noqa: S105 - the name of a header


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AnswerSection(_Section):
    """Positions in the answer of an engine."""

    results: str = DEFAULT_ANSWER.results
    url: str = DEFAULT_ANSWER.url
    problem: str = DEFAULT_ANSWER.problem


class DiscoverySection(_Section):
    """The section ``[discovery]``; for its keys see :class:`storage.records.Discovery`."""

    engine: str = ""
    form: Literal["searxng", "brave", "json", "file"] = "searxng"
    file: str = ""
    works: tuple[str, ...] = ()
    sentences: Annotated[int, Field(ge=1, le=100)] = 3
    queries: Annotated[int, Field(ge=1, le=10_000)] = 100
    daily: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    results: Annotated[int, Field(ge=1, le=100)] = 10
    pages: Annotated[int, Field(ge=1, le=20)] = 1
    parameters: dict[str, str] = {}
    headers: dict[str, str] = {}
    answer: AnswerSection = AnswerSection()
    cost: Annotated[float, Field(ge=0, le=1_000_000)] = 0.0
    currency: Annotated[str, Field(max_length=10)] = ""

    @field_validator("engine")
    @classmethod
    def _check_engine(cls, value: str) -> str:
        return web_address(value) if value else value

    @field_validator("file")
    @classmethod
    def _check_file(cls, value: str) -> str:
        if value and (PurePath(value).name != value or not value.isprintable()):
            raise ValueError(N_("enter only the name of a file in the folder crawler.results_dir"))
        return value

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, value: dict[str, str]) -> dict[str, str]:
        check_headers(value)
        return value

    @field_validator("parameters")
    @classmethod
    def _check_parameters(cls, value: dict[str, str]) -> dict[str, str]:
        if any("${" in text for text in value.values()):
            raise ValueError(N_("secrets belong in discovery.headers, because addresses are stored"))
        for name in (name for text in value.values() for name in _PLACEHOLDER.findall(text)):
            if name not in PLACEHOLDERS:
                raise ValueError(Message(_UNKNOWN, {"name": name}))
        return value

    @model_validator(mode="after")
    def _check_form(self) -> "DiscoverySection":
        match self.form:
            case "file":
                if not self.file or self.engine:
                    raise ValueError(N_("results from a file need its name in discovery.file, and no engine"))
            case "brave":
                if _TOKEN not in map(str.lower, self.headers):
                    raise ValueError(_NO_KEY)
                if self.pages > MAX_BRAVE_PAGES:
                    raise ValueError(N_("Brave has at most 10 pages"))
            case "searxng" | "json":
                if not self.engine:
                    raise ValueError(N_("enter in discovery.engine the address of the search engine"))
        self._check_paging()
        return self

    def _check_paging(self) -> None:
        if self.form != "json":
            return
        text = " ".join(self.parameters.values())
        if "{query}" not in text:
            raise ValueError(N_("one of discovery.parameters needs the placeholder of the query"))
        if self.pages > 1 and not any(f"{{{name}}}" in text for name in ("page", "page0", "offset")):
            raise ValueError(
                N_("several pages need a placeholder of the page or the offset in discovery.parameters")
            )

    def record(self) -> Discovery:
        """Return the record."""
        values = self.model_dump() | {"answer": SearchAnswer(**self.answer.model_dump())}
        if self.form == "brave":
            values["engine"] = self.engine or BRAVE
        return Discovery(**values)
