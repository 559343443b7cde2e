"""``python -m crawler.readers.process SECONDS MEGABYTES``: answers questions until its input is closed.

Guarantees. A question that needs more CPU than allowed, or four times as long altogether, ends the process:
two timers whose signals need no help of the interpreter. Memory beyond the limit is refused by the system.
Whatever a question raises is answered by a reason.
"""

import os
import resource
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crawler.failures import TOO_MUCH_MEMORY, UNREADABLE
from crawler.lists.listed import NotAList
from crawler.readers.questions import SLOW_EXPRESSION, Question, Reply

GONE = (EOFError, OSError)  # what a pipe raises whose other end was closed
TIMERS = (signal.SIGPROF, signal.SIGALRM)  # that end a reader
_ALTOGETHER = 4  # times the CPU that a question may take: for machines under load
_STDIN = 0
# Shares of the memory. Libraries tell of its end in many ways, or work on with less than they wanted: so
# errors from half of it on are put down to that, and answers that were given at its edge are not believed.
_NEARLY = 0.5
_EDGE = 0.8
_MEGABYTE = 1024 * 1024


def main() -> None:
    """Answer questions until the other end is closed."""
    seconds, megabytes = float(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl ends in its own time, and this with it
    for timer in TIMERS:
        signal.signal(timer, signal.SIG_DFL)  # it ends the process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no page is left behind in a file
    most = _bound_memory(megabytes)
    pipe = Connection(os.dup(_STDIN))
    with suppress(*GONE):
        while True:
            question: Question[Any] = pipe.recv()
            _set_timers(seconds)
            reply = _reply(question, most)
            _set_timers(0)
            pipe.send(reply)


def _set_timers(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * _ALTOGETHER)


def _reply(question: Question[Any], most: int) -> Reply:
    began = time.process_time()
    answer, reason = None, ""
    try:
        answer = question.answer()
        if _has_taken(_EDGE, most):
            answer, reason = None, TOO_MUCH_MEMORY
    except NotAList as error:
        reason = error.reason
    except TimeoutError:
        reason = SLOW_EXPRESSION
    except MemoryError:
        reason = TOO_MUCH_MEMORY
    except Exception:  # noqa: BLE001 - whatever a library does to a page, the page fails alone
        reason = TOO_MUCH_MEMORY if _has_taken(_NEARLY, most) else UNREADABLE
    return Reply(answer, reason, time.process_time() - began)


def _has_taken(share: float, most: int) -> bool:
    return most > 0 and _size("VmPeak") > share * most


def _bound_memory(megabytes: int) -> int:
    """Refuse to take more memory than now and so many megabytes; returns the limit in bytes, 0 for none."""
    size = _size("VmSize")
    if not size:  # a system without /proc, whose limits mean something else
        return 0
    limit = size + megabytes * _MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return limit


def _size(name: str) -> int:
    """Return a size of this process in bytes, 0 where the system does not tell."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
