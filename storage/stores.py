"""All stores together, opened from settings: the one place that wires storage."""

from dataclasses import dataclass

from pymongo.database import Database

from storage.captures import CaptureStore
from storage.cases import CaseStore
from storage.dismissals import DismissalStore
from storage.documents import Document, address_of, connect, mongo_errors
from storage.fingerprints import FingerprintStore
from storage.health import HealthStore
from storage.matches import MatchStore
from storage.page_events import PageEventStore
from storage.pages import PageStore
from storage.passages import PassageStore
from storage.repeats import RepeatStore
from storage.scans import ScanStore
from storage.schema import bring_up_to_date, refuse_newer
from storage.settings import StorageSettings
from storage.sheets import SheetStore
from storage.snapshots import SnapshotStore
from storage.sources import SourceStore
from storage.visits import VisitStore
from storage.works import WorkStore


@dataclass(frozen=True, slots=True)
class Stores:
    """Every collection of one database."""

    database: Database[Document]
    works: WorkStore
    passages: PassageStore
    fingerprints: FingerprintStore
    sources: SourceStore
    pages: PageStore
    snapshots: SnapshotStore
    matches: MatchStore
    cases: CaseStore
    dismissals: DismissalStore
    scans: ScanStore
    visits: VisitStore
    page_events: PageEventStore
    captures: CaptureStore
    health: HealthStore
    repeats: RepeatStore
    sheets: SheetStore

    def ensure_schema(self) -> None:
        """Make the database ready: indexes, validators, schema version; safe to repeat.

        Raises:
            NewerSchema: a later version of pindna made it; nothing is changed.
            ServiceDown: MongoDB does not answer.
        """
        found = refuse_newer(self.database)
        for store in (
            self.works,
            self.passages,
            self.pages,
            self.matches,
            self.cases,
            self.dismissals,
            self.scans,
            self.visits,
            self.page_events,
            self.captures,
            self.health,
            self.sheets,
        ):
            store.ensure_schema()
        bring_up_to_date(self.database, found)

    def ping(self) -> str:
        """Return the server's version.

        Raises:
            ServiceDown: MongoDB does not answer.
        """
        with mongo_errors(self.database):
            return str(self.database.client.server_info()["version"])

    @property
    def address(self) -> str:
        """``host:port`` of the server, for messages."""
        return address_of(self.database)

    def close(self) -> None:
        """Close the connections."""
        self.database.client.close()


def open_stores(settings: StorageSettings) -> Stores:
    """Open the stores; connects lazily.

    Raises:
        ServiceDown: no address is set, or it cannot be parsed.
    """
    database = connect(settings)
    return Stores(
        database=database,
        works=WorkStore(database),
        passages=PassageStore(database),
        fingerprints=FingerprintStore(database),
        sources=SourceStore(database),
        pages=PageStore(database),
        snapshots=SnapshotStore(database),
        matches=MatchStore(database),
        cases=CaseStore(database),
        dismissals=DismissalStore(database),
        scans=ScanStore(database),
        visits=VisitStore(database),
        page_events=PageEventStore(database),
        captures=CaptureStore(database),
        health=HealthStore(database),
        repeats=RepeatStore(database),
        sheets=SheetStore(database),
    )
