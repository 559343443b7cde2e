"""A reader's process, ``python -m crawler.readers.process SECONDS MEGABYTES``: answers questions from a pipe.

Guarantees: a question that exceeds its CPU time, or four times as much elapsed time, ends the process by
system timers, without the interpreter. The system refuses memory beyond the limit. Every exception becomes a
reason in the reply.
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

from crawler.lists.link_list import NotAList
from crawler.readers.questions import SLOW_EXPRESSION, Question, ReaderReply
from crawler.reasons import TOO_MUCH_MEMORY, UNREADABLE

CLOSED_PIPE = (EOFError, OSError)  # raised by a pipe whose other end is closed
TIMERS = (signal.SIGPROF, signal.SIGALRM)  # timers that end a reader
_ELAPSED_FACTOR = 4  # limit of elapsed time divided by the limit of CPU time, for machines under load
_STDIN = 0
# Shares of the memory limit. Libraries report a lack of memory in many ways, or continue with less. So an
# error above the first share counts as too much memory, and an answer above the second is discarded.
_ERROR_SHARE = 0.5
_ANSWER_SHARE = 0.8
_MEGABYTE = 1024 * 1024


def main() -> None:
    """Answer questions until the pipe is closed."""
    seconds, megabytes = float(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl ends this process
    for timer in TIMERS:
        signal.signal(timer, signal.SIG_DFL)  # by default, the signal ends the process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core file may contain a page
    max_bytes = _bound_memory(megabytes)
    pipe = Connection(os.dup(_STDIN))
    with suppress(*CLOSED_PIPE):
        while True:
            question: Question[Any] = pipe.recv()
            _set_timers(seconds)
            reply = _answer_question(question, max_bytes)
            _set_timers(0)
            pipe.send(reply)


def _set_timers(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * _ELAPSED_FACTOR)


def _answer_question(question: Question[Any], max_bytes: int) -> ReaderReply:
    began = time.process_time()
    answer, reason = None, ""
    try:
        answer = question.answer()
        if _has_taken(_ANSWER_SHARE, max_bytes):
            answer, reason = None, TOO_MUCH_MEMORY
    except NotAList as error:
        reason = error.reason
    except TimeoutError:
        reason = SLOW_EXPRESSION
    except MemoryError:
        reason = TOO_MUCH_MEMORY
    except Exception:  # noqa: BLE001 - any error of a library fails only its page
        reason = TOO_MUCH_MEMORY if _has_taken(_ERROR_SHARE, max_bytes) else UNREADABLE
    return ReaderReply(answer, reason, time.process_time() - began)


def _has_taken(share: float, max_bytes: int) -> bool:
    return max_bytes > 0 and _memory_size("VmPeak") > share * max_bytes


def _bound_memory(megabytes: int) -> int:
    """Limit the memory to the current size plus ``megabytes``; return the limit in bytes, 0 for none."""
    size = _memory_size("VmSize")
    if not size:  # without /proc, the limit would have another meaning
        return 0
    limit = size + megabytes * _MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return limit


def _memory_size(name: str) -> int:
    """Return a size of this process in bytes; 0 if unknown."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
