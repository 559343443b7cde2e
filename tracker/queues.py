"""The names of the queues, and the queue of each task.

A worker reads all queues in turn, or those of ``-Q``: ``celery -A tracker worker -Q crawl`` makes a machine
that only crawls. A scan needs several queues, so no queue has priority: a worker takes one message of each
queue before a second one of any.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

QUEUES = ("crawl", "compare", "index", "watch", "report", "scan")
STATE_COMMAND = "pindna_state"  # requests a worker's state (:mod:`tracker.worker_state`)
EARLIER = "celery"  # queue of versions before 0.2; a worker without -Q also reads it

ROUTES = MappingProxyType(
    {
        "tracker.tasks.crawl_sources": "crawl",
        "tracker.tasks.compare_pages": "compare",
        "tracker.tasks.index_works": "index",
        "tracker.tasks.keep_compact": "index",
        "tracker.tasks.daily_scan": "scan",
        "tracker.tasks.scan_by_hours": "scan",
        "tracker.tasks.tick": "scan",
        "analysis.tasks.watch_due": "watch",
        "analysis.tasks.follow_notices": "report",
        "analysis.tasks.log_evidence": "report",
        "analysis.tasks.sign_evidence": "report",
        "analysis.tasks.tell_alerts": "report",
    }
)


def require_known_queues(options: Mapping[str, Any], **_: object) -> None:
    """Refuse a worker with unknown queues: nothing is sent to them, so it would wait without end.

    Args:
        options: of the worker, from Celery's signal ``celeryd_init``.

    Raises:
        SystemExit: a queue is unknown.
    """
    queues = options.get("queues") or ()
    requested = queues.split(",") if isinstance(queues, str) else queues
    known_queues = (*QUEUES, EARLIER)
    if unknown := [name for name in requested if name not in known_queues]:
        raise SystemExit(f"There is no queue {', '.join(unknown)}. Take some of {', '.join(known_queues)}.")
