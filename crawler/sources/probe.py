"""Fetches a few pages of a source as a crawl would, and reports each step: ``pindna source test``.

The spider of the source runs in a separate process (:mod:`crawler.sources.probe_process`), so the caller does
not import the crawler.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from storage.frontier.interface import EntryKind
from storage.records import PageKind, Source
from system.child_process import last_line
from system.errors import PindnaError
from system.secrets import stored_environment

_SOURCE = TypeAdapter(Source)
_TIMEOUT_S = 600
_LAST_ANSWERS_S = 60.0  # time for running requests at the end of a trial


class ProbeFailed(PindnaError):
    """The trial of a source failed.

    Attributes:
        source, problem: the source, and why its trial failed.
    """

    template = "The test of source {source} failed: {problem}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeStep:
    """The result for one address.

    Attributes:
        asked: kind of the request: ``index``, ``text``, ``sitemap``, ``feed``, ``query``.
        reason: why there is no text; empty otherwise.
        advice: what the user can do about it.
        kind: of the page, for a text.
        characters: of the text.
        parts: number of responses that make up the text.
        rendered: whether a browser rendered the page.
        texts: number of texts on a list, ``lists``: of further lists; ``first``: the first addresses.
        robots: result of robots.txt: ``allowed``, ``forbidden``, ``unreachable``, ``disregarded``; empty if
            it was not requested.
        author, published: from the page, if any.
        text: the beginning of the text.
        following: addresses of the text's further parts, which were read as well.
        page: the page as HTML without active content; empty unless requested.
    """

    url: str
    asked: EntryKind
    status: int = 0
    reason: str = ""
    advice: str = ""
    kind: PageKind | Literal[""] = ""
    title: str = ""
    characters: int = 0
    confidence: float = 0.0
    encoding: str = ""
    parts: int = 0
    rendered: bool = False
    texts: int = 0
    lists: int = 0
    first: tuple[str, ...] = ()
    robots: str = ""
    author: str = ""
    published: str = ""
    text: str = ""
    following: tuple[str, ...] = ()
    page: str = ""


def probe(
    source: Source,
    *,
    texts: int,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = _TIMEOUT_S,
    pages: bool = False,
) -> Iterator[ProbeStep]:
    """Fetch the first pages of a source and yield the result of each.

    Args:
        source: to try; it need not be stored.
        texts: maximum number of texts.
        environment: variables that override those of this process.
        timeout_s: time limit in seconds; the trial ends a minute earlier, to report its results.
        pages: whether to include the pages themselves.

    Raises:
        ProbeFailed: the process ended without an answer.
    """
    minutes = (timeout_s - _LAST_ANSWERS_S) / 60
    options = [str(texts), str(minutes), *(["pages"] if pages else [])]
    command = [sys.executable, "-P", "-m", "crawler.sources.probe_process", *options]
    definition = _SOURCE.dump_json(source)
    try:
        process = subprocess.run(  # noqa: S603 - our own module
            command,
            input=definition,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            env={**os.environ, **stored_environment(definition.decode()), **(environment or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise ProbeFailed(source=source.name, problem="it takes too long") from error
    if process.returncode:
        problem = last_line(process.stderr).rstrip(".") or "no answer"
        raise ProbeFailed(source=source.name, problem=problem)
    for line in process.stdout.splitlines():
        values = json.loads(line)
        yield ProbeStep(**{**values, **{name: tuple(values[name]) for name in ("first", "following")}})
