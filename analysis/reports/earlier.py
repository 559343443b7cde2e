"""Find the last report of a scope. Items first seen after it are marked as new.

The last report is the last one that was made before the latest scan ended. So if a report of the same scans
is made twice, both mark the same items as new. A scope here is a work and a site; the scan and the start time
of a report are ignored.
"""

from datetime import datetime

from analysis.reports.records import Scope
from storage.collections.stores import Stores
from storage.records import utc_now


def scope_key(scope: Scope) -> str:
    """Return a key for the work and the site of a scope.

    >>> scope_key(Scope(work="青灯渡", work_id=7, site="copy.example")), scope_key(Scope(scan_id="s1"))
    ('work=7 site=copy.example', 'work= site=')
    """
    work = "" if scope.work_id is None else str(scope.work_id)
    return f"work={work} site={scope.site or ''}"


def last_report(stores: Stores, *, scope: str, form: str, scan_id: str | None = None) -> datetime | None:
    """Return when the last report of a scope was made; None if none is known.

    Args:
        stores: the open stores.
        scope: see :func:`scope_key`.
        form: file format.
        scan_id: scan that the report is about; None: all scans until now.

    Raises:
        UnknownRecord: there is no such scan.
        StorageFailed: MongoDB refused an operation.
    """
    end = stores.scans.last_end() if scan_id is None else stores.scans.get(scan_id).finished
    report = stores.reports.last(scope=scope, form=form, before=end or utc_now())
    return report.made if report else None
