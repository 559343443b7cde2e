"""Try sources before they are saved."""

import threading

from analysis.accounts.permissions import Identity
from analysis.reading.untrusted_pages import reading_slot
from crawler.sources.probe import ProbeStep, probe
from storage.records import Source
from tracker.runtime import Runtime

_TRIED_TEXTS = 3
_TRIED_S = 180.0
# maximum number of trials at once; each is a process, some with a browser
_trying = threading.BoundedSemaphore(2)


def try_source(identity: Identity, runtime: Runtime, source: Source) -> list[ProbeStep]:  # noqa: ARG001 - as acts are
    """Fetch a few pages of a source in a separate process. Return the results, and store nothing.

    The hours of the source are ignored, because a trial requests only a few pages and a person watches it.

    Raises:
        NotPermitted: the user lacks the permission.
        Busy: too many sources are being tried.
        ProbeFailed: the source could not be tried.
    """
    identity.require("sources:write")
    with reading_slot(_trying):
        return list(probe(source, texts=_TRIED_TEXTS, timeout_s=_TRIED_S, pages=True))
