"""Summaries of scans for tests: whole and clean, but for what a test says."""

from analysis.reports.statistics import ScanSummary, SourceSummary
from storage.records import utc_now
from system.messages import NO_MESSAGE


def summary_with(*, states=("done",), **fields):
    """Return the summary of a scan.

    Args:
        states: of its crawls.
        **fields: what is different from a finished scan that found nothing.
    """
    sources = tuple(
        SourceSummary(name=f"s{number}", state=state, counts={}, error="", message=NO_MESSAGE, duration_s=1.0)
        for number, state in enumerate(states)
    )
    whole = {
        "scan_id": "1",
        "status": "finished",
        "error": "",
        "started": utc_now(),
        "finished": utc_now(),
        "duration_s": 1.0,
        "sources": sources,
        "pages": 9,
        "compared": 9,
        "waiting": 0,
        "not_compared": {},
        "left": {},
        "verdicts": {"clear": 9},
        "low_confidence": 0,
        "looks": {},
        "matches": 0,
        "cases": 0,
        "copied_chars": 0,
        "last_texts": 0,
    }
    return ScanSummary(**{**whole, **fields})
