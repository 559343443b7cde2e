"""Packages of evidence, and the log in which every change of evidence shows."""

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

MOST_TOGETHER = 50  # packages, in one download
MOST_BYTES_TOGETHER = 4 * 10**9


class PackagesTooLarge(PindnaError):
    """Packages are too much for one download. Data: ``most``, ``gigabytes``."""

    code = "too-much-together"
    template = "One download holds {most} packages and {gigabytes} GB at most. Fetch fewer at once."


def list_packages(
    identity: Identity, stores: Stores, *, cursor: str = "", limit: int = DEFAULT_LIMIT
) -> Listing[KeptPackage]:
    """Return the packages that are kept, the newest first.

    Raises:
        NotPermitted, BadCursor, BadLimit: what is asked for is not to be had.
    """
    identity.require("evidence:read")
    runs, request = list(newest_packages(owners_of(identity))), Request("packages", cursor, limit)
    batch = stores.lists.packages(runs, after=request.place(runs), limit=limit)
    return request.listing(_admitted(identity, stores, batch.records), batch.end)


def get_package(identity: Identity, stores: Stores, number: str) -> KeptPackage:
    """Return a package that is kept.

    Raises:
        NotPermitted: evidence is not this one's to read.
        UnknownId: there is none, or not for this one.
    """
    identity.require("evidence:read")
    package = stores.packages.get(number)
    if not _admitted(identity, stores, [package]):
        raise UnknownId(kind="package", name=number)
    return package


def packages_among(identity: Identity, stores: Stores, numbers: Iterable[str]) -> dict[str, KeptPackage]:
    """Return those of some packages that are kept, and that this one may have, by number.

    Raises:
        NotPermitted: evidence is not this one's to read.
    """
    packages: dict[str, KeptPackage] = {}
    for number in dict.fromkeys(numbers):
        with suppress(UnknownId):
            packages[number] = get_package(identity, stores, number)
    return packages


def packages_together(identity: Identity, stores: Stores, numbers: Sequence[str]) -> list[KeptPackage]:
    """Return some packages, for one download of all; each is there.

    Raises:
        NotPermitted: evidence is not this one's to read.
        UnknownId: one is not kept, or not for this one.
        PackagesTooLarge: they are too many, or too large.
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
    """Return the file of a package of :func:`get_package`.

    Raises:
        UnknownId: it is not in its folder any more.
    """
    path = Path(package.path)
    if not path.is_file():
        raise UnknownId(kind="package", name=package.number)
    return path


def _admitted(identity: Identity, stores: Stores, packages: Sequence[KeptPackage]) -> Sequence[KeptPackage]:
    """Return the packages that a user may have; holders: those for outsiders, of their works alone."""
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
    """How far the evidence log goes.

    Attributes:
        log: its name; empty before the first entry.
        entries: how many there are.
        at: when the last one came.
        unlogged: what is still to be logged.
        last_root: when a root was signed last.
        problem: that it was altered, and how; None: it was not.
        signed_root: of all entries, a signed note to be kept elsewhere; empty where there is none.
        key: fingerprint of the key that signs now; empty before the first one.
        timestamps: the authorities that timestamped the last root.
        waiting: those whose timestamps are still to come.
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


def log_state(identity: Identity, stores: Stores, settings: Settings) -> LogState:
    """Return how far the evidence log goes.

    Raises:
        NotPermitted: evidence is not this one's to read.
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
    )


def signed_root(identity: Identity, stores: Stores, settings: Settings) -> str:
    """Return the signed root of all entries, to be kept elsewhere; the log is checked first.

    Raises:
        NotPermitted: evidence is not this one's to read.
        LogBroken, DamagedRow: the log was altered.
    """
    identity.require("evidence:read")
    return checked_tree(stores, settings).head.note.rstrip("\n")


def newest_entries(identity: Identity, stores: Stores, *, limit: int = DEFAULT_LIMIT) -> list[Leaf]:
    """Return the last entries of the evidence log, the newest first; to those who see everything.

    Raises:
        NotPermitted: evidence is not this one's to read, or only that of some works.
    """
    _require_whole_log(identity)
    return list(stores.evidence_log.newest(limit))


def log_verifier(
    identity: Identity, stores: Stores, settings: Settings, kept: Sequence[tuple[str, str]] = ()
) -> LogVerifier:
    """Return what checks all stored evidence against the log.

    Args:
        identity: sees everything.
        stores: the database.
        settings: of the installation.
        kept: names and texts of signed roots that were kept elsewhere.

    Raises:
        NotPermitted: evidence is not this one's to read, or only that of some works.
    """
    _require_whole_log(identity)
    return LogVerifier(stores, settings, kept)


def _require_whole_log(identity: Identity) -> None:
    identity.require("evidence:read")
    if not identity.sees_everything:
        identity.require("audit:read")
