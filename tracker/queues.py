"""The names of the queues, and which tasks go into which.

A worker takes from all of them in turn, or from those that ``-Q`` names: ``celery -A tracker worker -Q
crawl`` makes a machine that only crawls. What one scan needs is spread over several queues, so no queue goes
before another: who takes from several takes a message of each that has one before a second one of any.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

QUEUES = ("crawl", "compare", "index", "watch", "report", "scan")
STATE_COMMAND = "pindna_state"  # asks a worker what it says of itself (:mod:`tracker.worker_state`)
EARLIER = "celery"  # where versions before 0.2 put everything; a worker without -Q takes what they left there

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
    """Refuse a worker of queues that nothing is sent to: Celery would let it wait there for ever.

    Args:
        options: of the worker, as Celery's signal ``celeryd_init`` has them.

    Raises:
        SystemExit: one of its queues is none of ours.
    """
    queues = options.get("queues") or ()
    requested = queues.split(",") if isinstance(queues, str) else queues
    known_queues = (*QUEUES, EARLIER)
    if unknown := [name for name in requested if name not in known_queues]:
        raise SystemExit(f"There is no queue {', '.join(unknown)}. Take some of {', '.join(known_queues)}.")
