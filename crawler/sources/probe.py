"""A few pages of a source, fetched as a crawl would, and what each step saw: ``pindna source test``.

The source's spider runs in a process of its own (:mod:`crawler.sources.probe_process`), so that the caller
loads no crawler.
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

_SOURCE = TypeAdapter(Source)
_TIMEOUT_S = 600
_LAST_ANSWERS_S = 60.0  # for what was asked for when the time of a trial is up


class ProbeFailed(PindnaError):
    """The source could not be tried. Data: ``source``, ``problem``."""

    template = "Source {source} could not be tried: {problem}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeStep:
    """What came of one address.

    Attributes:
        asked: as what: ``index``, ``text``, ``sitemap``, ``feed``, ``query``.
        reason: why there is no text; empty otherwise.
        advice: what the user can do about it.
        kind: of the page, for a text.
        characters: of the text.
        parts: responses that the text was taken from.
        rendered: a browser showed the page, and what its scripts made of it was read.
        texts: how many texts a list leads to, ``lists`` how many further lists; ``first`` some of them.
        robots: what became of its robots.txt: ``allowed``, ``forbidden``, ``unreachable``, ``disregarded``;
            empty: it was not asked for.
        author, published: as the page says, where it does.
        text: the beginning of the text.
        following: addresses under which the text goes on, which were read too.
        page: the page with nothing in it that acts, as HTML; empty unless it was wanted.
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
    """Fetch a source's first pages and yield what came of each.

    Args:
        source: to try; it need not be stored.
        texts: how many at most.
        environment: variables that go over this process's own.
        timeout_s: how long it may take, in seconds; what was seen until some time before is told.
        pages: the pages themselves are wanted too.

    Raises:
        ProbeFailed: the process ended without an answer.
    """
    minutes = (timeout_s - _LAST_ANSWERS_S) / 60
    options = [str(texts), str(minutes), *(["pages"] if pages else [])]
    command = [sys.executable, "-P", "-m", "crawler.sources.probe_process", *options]
    try:
        process = subprocess.run(  # noqa: S603 - our own module
            command,
            input=_SOURCE.dump_json(source),
            capture_output=True,
            timeout=timeout_s,
            check=False,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise ProbeFailed(source=source.name, problem="it takes too long") from error
    if process.returncode:
        problem = last_line(process.stderr).rstrip(".") or "no answer"
        raise ProbeFailed(source=source.name, problem=problem)
    for line in process.stdout.splitlines():
        values = json.loads(line)
        yield ProbeStep(**{**values, **{name: tuple(values[name]) for name in ("first", "following")}})
