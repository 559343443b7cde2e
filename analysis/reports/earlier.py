"""What a report calls new: first seen after the last report of its scope.

The last report is the last one that was made before the latest scan ended: a report that is made twice of the
same scans calls the same new. The scope is that of works and sites; which scan or since when does not matter.
"""

from datetime import datetime

from analysis.reports.records import Scope
from storage.collections.stores import Stores
from storage.records import utc_now


def scope_key(scope: Scope) -> str:
    """Return a scope's works and sites as one string.

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
        form: kind of file.
        scan_id: what the report is about; None: everything up to now.

    Raises:
        UnknownRecord: there is no such scan.
        StorageFailed: MongoDB refused an operation.
    """
    end = stores.scans.last_end() if scan_id is None else stores.scans.get(scan_id).finished
    report = stores.reports.last(scope=scope, form=form, before=end or utc_now())
    return report.made if report else None
