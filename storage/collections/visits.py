"""Collection ``visits``: the state of every address after its past visits."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.records import Presence, Visit
from system.sites import host_of

_KNOWN = dict.fromkeys(("url", "due", "last_checked", "page_id", "content_hash"), 1)


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """An address with the page version that was last seen there.

    Attributes:
        due: when a scheduled scan may request it again.
        checked: time of the last request.
        is_text: the version is an article or a chapter; otherwise a list with a text.
    """

    url: str
    page_id: str
    due: datetime
    checked: datetime
    is_text: bool = True


def visit_id(url: str) -> str:
    """Return the key of an address: 32 hex digits of its SHA-256."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class VisitStore:
    """Visits by canonical URL. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._visits = database["visits"]

    def ensure_schema(self) -> None:
        """Create the index; safe to repeat."""
        self._visits.create_index([("source", 1), ("host", 1)])

    def get(self, url: str) -> Visit | None:
        """Return the visit of an address; None if it was never requested."""
        row = self._visits.find_one({"_id": visit_id(url)})
        return None if row is None else _visit_of(row)

    def get_many(self, urls: Iterable[str]) -> dict[str, Visit]:
        """Return the visits of addresses, without those never requested."""
        ids = [visit_id(url) for url in urls]
        return {row["url"]: _visit_of(row) for row in self._visits.find_among("_id", ids)}

    def dates_of(self, urls: Iterable[str]) -> dict[str, tuple[datetime, datetime]]:
        """Return, for each known address, when it is due and when it was last requested."""
        ids = [visit_id(url) for url in urls]
        rows = self._visits.find_among("_id", ids, {"url": 1, "due": 1, "last_checked": 1})
        return {row["url"]: (row["due"], row["last_checked"]) for row in rows}

    def presences_of(self, versions: Iterable[tuple[str, str]]) -> dict[str, Presence]:
        """Return whether page versions, given as address and id, are still up, by id.

        Versions whose address no crawl has requested are left out.
        """
        page_ids = dict.fromkeys(versions)
        visits = self.get_many(list(dict.fromkeys(url for url, _ in page_ids)))
        return {page_id: visits[url].presence_of(page_id) for url, page_id in page_ids if url in visits}

    def save(self, visit: Visit) -> None:
        """Insert or replace a visit."""
        self.save_many([visit])

    def save_many(self, visits: Sequence[Visit]) -> None:
        """Insert or replace visits; of two visits to the same address the later one is stored."""
        distinct = {visit.url: visit for visit in visits}.values()
        self._visits.insert_or_replace([_visit_document(visit) for visit in distinct if visit.checks <= 1])
        self._visits.replace_many([_visit_document(visit) for visit in distinct if visit.checks > 1])

    def addresses_of(self, source: str) -> Iterator[KnownAddress]:
        """Yield the addresses at which a source last saw a text, in bounded memory."""
        rows = self._visits.find({"source": source}, _KNOWN)
        return (_known_address(row) for row in rows if row["page_id"])

    def addresses_among(self, source: str, urls: Iterable[str]) -> Iterator[KnownAddress]:
        """Yield the given addresses at which a source last saw a text."""
        ids = [visit_id(url) for url in urls]
        rows = self._visits.find_among("_id", ids, {**_KNOWN, "source": 1})
        return (_known_address(row) for row in rows if row["page_id"] and row["source"] == source)

    def hosts_of(self, source: str) -> list[str]:
        """Return the hosts of the addresses whose last request was made for a source."""
        return self._visits.distinct("host", {"source": source})


def _known_address(row: Document) -> KnownAddress:
    dates = row["due"], row["last_checked"]
    return KnownAddress(row["url"], row["page_id"], *dates, is_text=bool(row["content_hash"]))


def _visit_document(visit: Visit) -> Document:
    document = to_document(visit, key="url")
    document["host"] = host_of(visit.url)
    document["reader"] = document.pop("extraction_version")  # the stored name since schema 1
    return {**document, "url": visit.url, "_id": visit_id(visit.url)}


def _visit_of(row: Document) -> Visit:
    fields = {**row, "_id": row["url"], "extraction_version": row.get("reader", "")}
    return from_document(Visit, fields, key="url")
