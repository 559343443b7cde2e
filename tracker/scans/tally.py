"""Results of a scan: count its pages and looks, and update its matches and cases.

The pages last seen by the scan are read once, a few thousand at a time; only counts and the affected cases
stay in memory. Repeating it gives the same result.

Cost: linear in the pages that the scan saw and in the cases on their sites.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from storage.collections.stores import Stores
from storage.records import FOUND, Scan, UnreadFigures, unread_figures
from system.batches import batched
from system.sites import site_of_host
from tracker.judgement.cases import refresh_cases
from tracker.scans.looks import cases_of_looks, count_looks

_BATCH = 1_000


@dataclass(slots=True)
class ScanTally:
    """The counts of a scan.

    Attributes:
        counts: pages by state, kind and verdict; page events and looks by kind.
        not_compared: reason → pages that could not be compared.
        unread: pages that were compared, but not fully.
    """

    counts: Counter[str] = field(default_factory=lambda: Counter({"pages": 0}))
    not_compared: Counter[str] = field(default_factory=Counter)
    unread: UnreadFigures = field(default_factory=UnreadFigures)


def tally_scan(scan: Scan, stores: Stores) -> ScanTally:
    """Count the pages of a scan, record the scan in the matches, and recompute the cases.

    Args:
        scan: a scan whose work is finished.
        stores: the database.
    """
    tally, sites = ScanTally(), set[str]()
    cases = cases_of_looks(scan, stores)
    for rows in batched(stores.pages.seen_by(scan.id), _BATCH):
        current = [row for row in rows if row["standing"] != "replaced"]
        _count_rows(current, tally)
        sites |= {site_of_host(row["host"]) for row in current}
        compared = {row["_id"]: row["last_seen"] for row in current if row["verdict"] is not None}
        stores.matches.touch_pages(compared, scan_id=scan.id)
        with_matches = [row["_id"] for row in current if row["verdict"] in FOUND]
        cases |= stores.matches.keys_on_pages(with_matches)
    cases |= set(stores.cases.keys_on(sites))  # including cases that lost their pages
    refresh_cases(stores, cases)
    events = stores.page_events.counts_of_scan(scan.id)
    tally.counts.update({f"event:{kind}": number for kind, number in events.items()})
    tally.counts.update(count_looks(scan, stores))
    return tally


def _count_rows(rows: Sequence[Mapping[str, Any]], tally: ScanTally) -> None:
    """Count the pages that count, by state, kind and verdict."""
    current = [row for row in rows if row["standing"] == "current"]
    tally.unread += unread_figures(row.get("unread", {}) for row in current if row["state"] == "compared")
    for row in current:
        tally.counts["pages"] += 1
        tally.counts[f"state:{row['state']}"] += 1
        tally.counts[f"kind:{row['kind']}"] += 1
        if row["state"] == "failed":
            tally.not_compared[row["reason"]] += 1
        elif row["verdict"] is not None:
            tally.counts[f"verdict:{row['verdict']}"] += 1
            tally.counts["capped"] += row.get("capped", 0)
