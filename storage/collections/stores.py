"""All stores of a database, opened from the settings. This module wires the package."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC

from pymongo.database import Database

from storage.collections.accounts import AccountStore, SessionStore, TokenStore
from storage.collections.candidates import CandidateStore
from storage.collections.capture_sessions import CaptureSessionStore
from storage.collections.captures import CaptureStore
from storage.collections.case_figures import CaseFigures
from storage.collections.cases import CaseStore
from storage.collections.checked import CheckedDatabase, indexes_together
from storage.collections.contacts import ContactStore
from storage.collections.corpus_version import CorpusVersions
from storage.collections.decisions import DecisionStore
from storage.collections.documents import Document, address_of, connect, mongo_errors
from storage.collections.due_times import DueTimeStore
from storage.collections.events import EventStore
from storage.collections.evidence_keys import EvidenceKeyStore
from storage.collections.evidence_log import EvidenceLogStore
from storage.collections.fingerprints import FingerprintStore
from storage.collections.health import HealthStore
from storage.collections.holders import HolderStore
from storage.collections.lists import Lists
from storage.collections.looks import LookStore
from storage.collections.matches import MatchStore
from storage.collections.notices import NoticeStore
from storage.collections.outbox import OutboxStore
from storage.collections.packages import PackageStore
from storage.collections.page_events import PageEventStore
from storage.collections.page_figures import PageFigures
from storage.collections.pages import PageStore
from storage.collections.passages import PassageStore
from storage.collections.persons import PersonStore
from storage.collections.rejudgings import RejudgingStore
from storage.collections.removed import RemovedStore
from storage.collections.repeats import RepeatStore
from storage.collections.reports import ReportStore
from storage.collections.requests import RequestStore
from storage.collections.review_leases import ReviewLeaseStore
from storage.collections.rights import CHANGE_COLLECTIONS, DAILY, missing_rights, right_missing
from storage.collections.scans import ScanStore
from storage.collections.schema import (
    VERSION,
    bring_up_to_date,
    is_new,
    older_version,
    refuse_newer,
    refuse_older,
)
from storage.collections.server_clock import ServerClock
from storage.collections.site_lookups import SiteLookupStore
from storage.collections.snapshots import SnapshotStore
from storage.collections.sources import SourceStore
from storage.collections.stored_settings import StoredSettingsStore
from storage.collections.stylesheets import SheetStore
from storage.collections.templates import TemplateStore
from storage.collections.validators import prepare_collections, require_rights_to_prepare
from storage.collections.visits import VisitStore
from storage.collections.watches import WatchStore
from storage.collections.works import WorkStore
from storage.records import utc_now
from storage.settings import StorageSettings
from system.clocks import clock_lead_seconds


@dataclass(frozen=True, slots=True)
class Stores:
    """Every collection of one database."""

    database: Database[Document]
    clock: ServerClock
    versions: CorpusVersions
    works: WorkStore
    passages: PassageStore
    fingerprints: FingerprintStore
    sources: SourceStore
    candidates: CandidateStore
    pages: PageStore
    snapshots: SnapshotStore
    matches: MatchStore
    events: EventStore
    cases: CaseStore
    decisions: DecisionStore
    review_leases: ReviewLeaseStore
    removed: RemovedStore
    scans: ScanStore
    due_times: DueTimeStore
    rejudgings: RejudgingStore
    visits: VisitStore
    page_events: PageEventStore
    looks: LookStore
    watches: WatchStore
    captures: CaptureStore
    capture_sessions: CaptureSessionStore
    health: HealthStore
    repeats: RepeatStore
    sheets: SheetStore
    templates: TemplateStore
    reports: ReportStore
    page_figures: PageFigures
    holders: HolderStore
    contacts: ContactStore
    site_lookups: SiteLookupStore
    notices: NoticeStore
    evidence_keys: EvidenceKeyStore
    evidence_log: EvidenceLogStore
    persons: PersonStore
    outbox: OutboxStore
    accounts: AccountStore
    sessions: SessionStore
    tokens: TokenStore
    packages: PackageStore
    requests: RequestStore
    lists: Lists
    case_figures: CaseFigures
    stored_settings: StoredSettingsStore

    def open_schema(self) -> None:
        """Prepare a new database; a database of an earlier schema stays unchanged.

        Raises:
            NewerSchema, OlderSchema, HalfRestored: the database cannot be used; nothing is changed.
        """
        self.require_schema()
        self.ensure_schema()

    def require_schema(self) -> None:
        """Check that the database is new, or has the schema of this version.

        Raises:
            NewerSchema, OlderSchema, HalfRestored: the database cannot be used.
        """
        checked = CheckedDatabase(self.database)
        refuse_older(checked, refuse_newer(checked))

    def ensure_schema(self) -> None:
        """Prepare the database: collections with validators, indexes, schema version. Idempotent.

        Raises:
            NewerSchema: a later version of pindna created the database; nothing is changed.
            ActionMissing: the schema is older, and the user may not upgrade it; nothing is changed.
        """
        version = refuse_newer(CheckedDatabase(self.database))
        new = is_new(self.database, version)
        if version != VERSION:
            prepare_collections(self.database)
        with indexes_together():
            for store in (
                self.works,
                self.passages,
                self.pages,
                self.matches,
                self.events,
                self.cases,
                self.decisions,
                self.review_leases,
                self.removed,
                self.candidates,
                self.scans,
                self.visits,
                self.page_events,
                self.looks,
                self.watches,
                self.captures,
                self.health,
                self.sheets,
                self.reports,
                self.holders,
                self.contacts,
                self.notices,
                self.outbox,
                self.accounts,
                self.sessions,
                self.tokens,
                self.packages,
                self.requests,
            ):
                store.ensure_schema()
        bring_up_to_date(self.database, version, new=new)
        with indexes_together():
            self.evidence_log.ensure_schema(utc_now())  # also marks the existing records

    def schema_version(self) -> int:
        """Return the version of the database's schema; 0 if it has none.

        Raises:
            NewerSchema: a later version of pindna created the database.
        """
        return refuse_newer(CheckedDatabase(self.database))

    def older_schema(self) -> int:
        """Return the version of the schema if it must be upgraded; 0 if no upgrade is needed.

        Raises:
            NewerSchema, HalfRestored: the database cannot be used.
        """
        return older_version(CheckedDatabase(self.database), self.schema_version())

    def require_rights(self) -> None:
        """Check that MongoDB's user may do daily work and, if the schema is older, may upgrade it.

        Raises:
            ActionMissing: the user lacks a right.
            NewerSchema, HalfRestored: the database cannot be used.
        """
        for right in missing_rights(self.database, DAILY):
            raise right_missing(self.database, right)
        if self.older_schema():
            require_rights_to_prepare(self.database)

    def may_change_collections(self) -> bool:
        """Return whether the user may upgrade and restore, as far as the server reports."""
        return not missing_rights(self.database, [CHANGE_COLLECTIONS])

    def document_counts(self, names: Iterable[str]) -> dict[str, int]:
        """Return the numbers of documents in collections from the server's metadata.

        Raises:
            ServiceDown, StorageFailed: MongoDB does not answer, or refused.
        """
        with mongo_errors(self.database):
            return {name: self.database[name].estimated_document_count() for name in names}

    def ping(self) -> str:
        """Return the server's version."""
        with mongo_errors(self.database):
            return str(self.database.client.server_info()["version"])

    def clock_ahead_s(self) -> float:
        """Return by how many seconds the server's clock is ahead of this machine's; negative: behind."""
        with mongo_errors(self.database):
            started = utc_now()
            server_time = self.database.client.admin.command("hello").get("localTime", started)
        return clock_lead_seconds(server_time.replace(tzinfo=UTC), asked_at=started, answered_at=utc_now())

    @property
    def address(self) -> str:
        """``host:port`` of the server, for messages."""
        return address_of(self.database)

    def close(self) -> None:
        """Close the connections."""
        self.database.client.close()


def open_stores(settings: StorageSettings, *, clock: ServerClock | None = None) -> Stores:
    """Open the stores; connects lazily.

    Args:
        settings: settings with the address.
        clock: clock of the server's time; by default based on this machine's clock.

    Raises:
        ServiceDown: no address is set, or it cannot be parsed.
    """
    clock = clock or ServerClock()
    return _stores_of(connect(settings, listeners=(clock,)), clock)


def _stores_of(database: Database[Document], clock: ServerClock) -> Stores:
    """Return the stores of a database, with a clock that follows the server's time."""
    checked = CheckedDatabase(database, now=clock.now)
    versions = CorpusVersions(checked)
    events = EventStore(checked)
    return Stores(
        database=database,
        clock=clock,
        versions=versions,
        works=WorkStore(checked, versions),
        passages=PassageStore(checked),
        fingerprints=FingerprintStore(checked),
        sources=SourceStore(checked),
        candidates=CandidateStore(checked),
        pages=PageStore(checked),
        snapshots=SnapshotStore(checked),
        matches=MatchStore(checked),
        events=events,
        cases=CaseStore(checked, events),
        decisions=DecisionStore(checked),
        review_leases=ReviewLeaseStore(checked),
        removed=RemovedStore(checked),
        scans=ScanStore(checked),
        due_times=DueTimeStore(checked),
        rejudgings=RejudgingStore(checked),
        visits=VisitStore(checked),
        page_events=PageEventStore(checked),
        looks=LookStore(checked),
        watches=WatchStore(checked),
        captures=CaptureStore(checked),
        capture_sessions=CaptureSessionStore(checked),
        health=HealthStore(checked),
        repeats=RepeatStore(checked),
        sheets=SheetStore(checked),
        templates=TemplateStore(checked),
        reports=ReportStore(checked),
        page_figures=PageFigures(checked),
        holders=HolderStore(checked),
        contacts=ContactStore(checked),
        site_lookups=SiteLookupStore(checked),
        notices=NoticeStore(checked),
        evidence_keys=EvidenceKeyStore(checked),
        evidence_log=EvidenceLogStore(checked),
        persons=PersonStore(checked),
        outbox=OutboxStore(checked),
        accounts=AccountStore(checked),
        sessions=SessionStore(checked),
        tokens=TokenStore(checked),
        packages=PackageStore(checked),
        requests=RequestStore(checked),
        lists=Lists(checked),
        case_figures=CaseFigures(checked),
        stored_settings=StoredSettingsStore(checked),
    )
