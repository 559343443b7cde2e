"""Evidence packages, and the state of the evidence log, which reveals every change of evidence."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.evidence.log import LogBroken, checked_tree
from analysis.evidence.log_verifying import LogVerifier
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.scope import owners_of
from storage.collections.evidence_log import DamagedRow
from storage.collections.filters import newest_packages
from storage.collections.stores import Stores
from storage.records import KeptPackage
from storage.records.evidence_log import Leaf
from storage.settings import Settings
from system.errors import PindnaError, UnknownId

MOST_TOGETHER = 50  # maximum number of packages in one download
MOST_BYTES_TOGETHER = 4 * 10**9


class PackagesTooLarge(PindnaError):
    """The requested packages exceed the limits of one download.

    Attributes:
        most: maximum number of packages.
        gigabytes: maximum size.
    """

    code = "too-much-together"
    template = "One download holds {most} packages and {gigabytes} GB at most. Fetch fewer at once."


def list_packages(
    identity: Identity, stores: Stores, *, cursor: str = "", limit: int = DEFAULT_LIMIT
) -> Listing[KeptPackage]:
    """Return the stored packages, the newest first.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("evidence:read")
    runs, request = list(newest_packages(owners_of(identity))), Request("packages", cursor, limit)
    batch = stores.lists.packages(runs, after=request.place(runs), limit=limit)
    return request.listing(_fetchable_packages(identity, stores, batch.records), batch.end)


def get_package(identity: Identity, stores: Stores, number: str) -> KeptPackage:
    """Return a stored package.

    Raises:
        NotPermitted: the user may not read evidence.
        UnknownId: it does not exist, or the user may not see it.
    """
    identity.require("evidence:read")
    package = stores.packages.get(number)
    if not _fetchable_packages(identity, stores, [package]):
        raise UnknownId(kind="package", name=number)
    return package


def packages_among(identity: Identity, stores: Stores, numbers: Iterable[str]) -> dict[str, KeptPackage]:
    """Return number → package for each given number whose package is stored and may be fetched by the user.

    Raises:
        NotPermitted: the user may not read evidence.
    """
    packages: dict[str, KeptPackage] = {}
    for number in dict.fromkeys(numbers):
        with suppress(UnknownId):
            packages[number] = get_package(identity, stores, number)
    return packages


def packages_together(identity: Identity, stores: Stores, numbers: Sequence[str]) -> list[KeptPackage]:
    """Return packages for one download. All of them must exist.

    Raises:
        NotPermitted: the user may not read evidence.
        UnknownId: a package is not stored, or the user may not fetch it.
        PackagesTooLarge: the packages exceed the limits of one download.
    """
    unique = list(dict.fromkeys(numbers))
    if len(unique) > MOST_TOGETHER:
        raise PackagesTooLarge(most=MOST_TOGETHER, gigabytes=MOST_BYTES_TOGETHER // 10**9)
    packages = [get_package(identity, stores, number) for number in unique]
    for package in packages:
        file_of(package)
    if sum(package.bytes for package in packages) > MOST_BYTES_TOGETHER:
        raise PackagesTooLarge(most=MOST_TOGETHER, gigabytes=MOST_BYTES_TOGETHER // 10**9)
    return packages


def file_of(package: KeptPackage) -> Path:
    """Return the file of a package from :func:`get_package`.

    Raises:
        UnknownId: the file is no longer in its folder.
    """
    path = Path(package.path)
    if not path.is_file():
        raise UnknownId(kind="package", name=package.number)
    return path


def _fetchable_packages(
    identity: Identity, stores: Stores, packages: Sequence[KeptPackage]
) -> Sequence[KeptPackage]:
    """Return the packages that the user may fetch; holders get only packages for outsiders of their works."""
    if identity.sees_everything:
        return packages
    works = stores.works.get_many({key for package in packages for key in package.works})
    visible = {key for key, work in works.items() if identity.may_see(work.holder or "")}
    return [
        package
        for package in packages
        if package.excerpts and package.works and visible.issuperset(package.works)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogState:
    """The state of the evidence log.

    Attributes:
        log: name of the log; empty before the first entry.
        entries: number of entries.
        at: time of the last entry.
        unlogged: number of records that are not in the log yet.
        last_root: when a root was last signed.
        problem: the error if the log was altered; None: it was not altered.
        signed_root: signed root of all entries, to be stored elsewhere; empty if there is none.
        key: fingerprint of the current key; empty before the first key.
        timestamps: authorities that timestamped the last root.
        waiting: authorities whose timestamps are still missing.
        receipts: witnesses that returned a receipt for the last root.
        undeposited: witnesses whose receipts are still missing.
    """

    log: str
    entries: int
    at: datetime | None
    unlogged: int
    last_root: datetime | None
    problem: PindnaError | None
    signed_root: str = ""
    key: str = ""
    timestamps: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    receipts: tuple[str, ...] = ()
    undeposited: tuple[str, ...] = ()


def log_state(identity: Identity, stores: Stores, settings: Settings) -> LogState:
    """Return the state of the evidence log.

    Raises:
        NotPermitted: the user may not read evidence.
    """
    identity.require("evidence:read")
    problem: PindnaError | None = None
    note = ""
    try:
        note = signed_root(identity, stores, settings)
    except (LogBroken, DamagedRow) as error:
        problem = error
    head, last = stores.evidence_log.head(), stores.evidence_log.last_root()
    keys = stores.evidence_keys.all()
    return LogState(
        log=head.origin if head else "",
        entries=head.size if head else 0,
        at=head.at if head else None,
        unlogged=stores.evidence_log.count_unlogged(),
        last_root=last.at if last else None,
        problem=problem,
        signed_root=note,
        key=keys[-1].fingerprint if keys else "",
        timestamps=tuple(token.authority for token in last.tokens) if last else (),
        waiting=tuple(last.waiting) if last else (),
        receipts=tuple(receipt.witness for receipt in last.receipts) if last else (),
        undeposited=tuple(last.undeposited) if last else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit:
    """The receipt of a witness for a daily root.

    Attributes:
        entries: number of entries below the root.
        note: the signed root.
        receipt: as the witness returned it.
    """

    entries: int
    signed: datetime
    note: str
    witness: str
    received: datetime
    receipt: bytes


def list_deposits(identity: Identity, stores: Stores) -> list[Deposit]:
    """Return the receipts of witnesses, those of the earliest roots first.

    Raises:
        NotPermitted: the user may not read evidence.
    """
    identity.require("evidence:read")
    return [
        Deposit(
            entries=root.id,
            signed=root.at,
            note=root.note,
            witness=receipt.witness,
            received=receipt.at,
            receipt=receipt.receipt,
        )
        for root in stores.evidence_log.roots()
        for receipt in root.receipts
    ]


def signed_root(identity: Identity, stores: Stores, settings: Settings) -> str:
    """Check the log, and return the signed root of all entries, which users store elsewhere.

    Raises:
        NotPermitted: the user may not read evidence.
        LogBroken, DamagedRow: the log was altered.
    """
    identity.require("evidence:read")
    return checked_tree(stores, settings).head.note.rstrip("\n")


def newest_entries(identity: Identity, stores: Stores, *, limit: int = DEFAULT_LIMIT) -> list[Leaf]:
    """Return the last entries of the evidence log, the newest first.

    Raises:
        NotPermitted: the user may not read all evidence.
    """
    _require_all_evidence(identity)
    return list(stores.evidence_log.newest(limit))


def log_verifier(
    identity: Identity, stores: Stores, settings: Settings, kept: Sequence[tuple[str, str]] = ()
) -> LogVerifier:
    """Return a verifier that checks all stored evidence against the log.

    Args:
        identity: a user or program that sees the works of all holders.
        stores: the database.
        settings: settings of the installation.
        kept: names and texts of signed roots that were stored elsewhere.

    Raises:
        NotPermitted: the user may not read all evidence.
    """
    _require_all_evidence(identity)
    return LogVerifier(stores, settings, kept)


def _require_all_evidence(identity: Identity) -> None:
    identity.require("evidence:read")
    if not identity.sees_everything:
        identity.require("audit:read")
