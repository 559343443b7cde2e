"""Crawls that need no start of Python: a process that has imported the crawler forks itself for each.

Each crawl is a process of its own with the environment, the standard streams and the exit status of
``python -m crawler``; that module as a program is started by whatever goes through a worker. Its readers are
forked likewise (:mod:`support.forked_readers`).
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair
from subprocess import CompletedProcess
from typing import NamedTuple

from scrapy.settings import Settings
from trafilatura.external import jt_stoplist_init

from fingerprint.text.decoding import common_character_share
from system.sites import site_of
from tracker.scans.crawl_inbox import Assignment

ROOT = Path(__file__).parents[2]


def handed_in(ids: Sequence[str], token: str) -> Callable[[], list[Assignment]]:
    """Return what hands in reserved crawls once, as the processes of a worker do."""
    waiting = [Assignment(crawl_id, token) for crawl_id in ids]

    def take_all() -> list[Assignment]:
        taken = waiting.copy()
        waiting.clear()
        return taken

    return take_all


# Settings of Scrapy that name classes, which a crawl imports once it runs.
_COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES", "SPIDER_MIDDLEWARES")
_CLASSES = ("DOWNLOADER", "LOG_FORMATTER", "SCHEDULER", "STATS_CLASS")
_IMPORTED_LATE = (
    "_strptime",
    "crawler.download.handler",
    "pymongo.synchronous.auth",
    "scrapy.core.engine",
    "scrapy.core.downloader.handlers.http11",
)

# As readers have it, whose memory is bounded.
_SINGLE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def for_people(errors: str) -> str:
    """Return what a process wrote on standard error without the line that its parent reads."""
    lines = errors.split("\n")
    return "\n".join(line for line in lines if not line.startswith("\x1e"))


class _Request(NamedTuple):
    """A crawl that is to be started."""

    arguments: list[str]
    environment: dict[str, str]
    output: str  # the file that its standard output goes to, …
    errors: str  # … and that of its standard error


class Crawls:
    """Starts crawls, one after the other."""

    def __init__(self, pipe: Connection, folder: Path) -> None:
        self._pipe, self._folder = pipe, folder

    def run(
        self, arguments: list[str], environment: Mapping[str, str], *, timeout_s: float = 120
    ) -> CompletedProcess[str]:
        """Run a crawl to its end and return its exit status and its output."""
        if "PYTHONPATH" in environment:  # what a site customisation changes is changed when Python starts
            command = [sys.executable, "-m", "crawler", *arguments]
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=dict(environment),
                capture_output=True,
                text=True,
                timeout=timeout_s,
                check=False,
            )
            return CompletedProcess(arguments, done.returncode, done.stdout, for_people(done.stderr))
        files = [self._folder / name for name in ("output", "errors")]
        self._pipe.send(_Request(arguments, dict(environment), *map(str, files)))
        if not self._pipe.poll(timeout_s):
            raise subprocess.TimeoutExpired(arguments, timeout_s)
        status = self._pipe.recv()
        output, errors = (file.read_text(encoding="utf-8", errors="replace") for file in files)
        return CompletedProcess(arguments, status, output, for_people(errors))


@contextmanager
def running_crawls(folder: Path) -> Iterator[Crawls]:
    """Start the process that forks; the files of its crawls are in a folder."""
    ours, theirs = socketpair()
    with theirs:
        code = "import sys; from support.crawls import main; main()"
        server = subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, **_SINGLE, "PYTHONPATH": str(ROOT / "tests"), "LC_ALL": "C.UTF-8"},
            stdin=theirs.fileno(),
        )
    with server, Connection(ours.detach()) as pipe:
        yield Crawls(pipe, folder)


def main() -> None:
    """Fork for each request until the other end is closed."""
    pipe = Connection(os.dup(0))
    program = import_module("crawler.__main__")
    forked_readers = import_module("support.forked_readers")
    _warm_up()
    assert "twisted.internet.reactor" not in sys.modules
    with suppress(EOFError):
        while True:
            request: _Request = pipe.recv()
            forks = forked_readers.Forks()
            process = os.fork()
            if process == 0:
                pipe.close()
                _take_place(request)
                forked_readers.read_by_forks(forks)
                sys.exit(program.main(request.arguments))
            pipe.send(forks.serve(process))


def _warm_up() -> None:
    """Do once what each crawl would do for itself; none of it may install Twisted's reactor."""
    settings = Settings()
    settings.setmodule("crawler.settings")
    names = [settings[name] for name in _CLASSES]
    names += [
        name
        for kind in _COMPONENTS
        for name, place in settings.getwithbase(kind).items()
        if place is not None
    ]
    for name in (*_IMPORTED_LATE, *(name.rpartition(".")[0] for name in names)):
        import_module(name)
    site_of("http://site.example/")  # reads the table of public suffixes
    common_character_share("渡口")  # makes the table of common characters
    jt_stoplist_init()  # reads what justext, the last resort of trafilatura, compares words with
    gc.freeze()  # else the first collection in each fork writes to, and so copies, all of this memory


def _take_place(request: _Request) -> None:
    """Become the process that a request asks for."""
    os.environ.clear()
    os.environ.update(request.environment)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    for number, path in ((1, request.output), (2, request.errors)):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, number)
        os.close(descriptor)
