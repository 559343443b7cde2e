"""The names of the queues, and which tasks go into which.

A worker takes from all of them in turn, or from those that ``-Q`` names: ``celery -A tracker worker -Q
crawl`` makes a machine that only crawls. What one scan needs is spread over several queues, so no queue goes
before another: who takes from several takes a message of each that has one before a second one of any.
"""

from types import MappingProxyType

QUEUES = ("crawl", "compare", "index", "watch", "report", "scan")
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
