"""Works of the corpus, their passages and fingerprints."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.leases import FREE, Lease
from storage.records.times import ClaimedDate, utc_now

WorkKind = Literal["novel", "news"]
WORK_KINDS: tuple[WorkKind, ...] = get_args(WorkKind)

# Roles of works. ``earlier``: an earlier publication of a holder; ``background``: public text that nobody
# owns.
WorkRole = Literal["protected", "earlier", "background"]
WORK_ROLES: tuple[WorkRole, ...] = get_args(WorkRole)

WorkStatus = Literal["stored", "indexed", "failed", "removed"]
WORK_STATES: tuple[WorkStatus, ...] = get_args(WorkStatus)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteLicence:
    """A site's permission to publish a work, with terms.

    Attributes:
        site: host (``host`` or ``host:port``), or a pattern such as ``*.example.cn``.
        since: the first moment of the permission; None: no start.
        until: the first moment after it; None: no end.
        attribution: the page must show the work's title, author or rights holder.
        share: largest permitted share of a passage on a page; None: all of it.
        timezone: zone of its first and last day; empty in older records: ``tracker.timezone``.
    """

    site: str
    since: datetime | None = None
    until: datetime | None = None
    attribution: bool = False
    share: float | None = None
    timezone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The removal of a work that can be restored, with the work's state before it.

    Attributes:
        at: when it was removed.
        key: the work's earlier natural key; another work may have it now.
        decided: number of matches that an analyst confirmed or dismissed.
        captures: number of captures kept as evidence of its matches.
        whole: the removal is complete; False during removal or restoring.
    """

    at: datetime
    key: str
    passages: int = 0
    matches: int = 0
    decided: int = 0
    cases: int = 0
    dismissals: int = 0
    captures: int = 0
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Passages that were added after a work was first loaded, such as new chapters of a serial.

    Attributes:
        first_id: lowest id of the passages; ids only grow.
        at: when they were loaded.
    """

    first_id: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A protected text of a rights holder (母本), split into passages.

    Attributes:
        id: positive integer.
        key: natural key: the URL of a news article, else the title.
        origin: where it was loaded from, for messages.
        published: its publication date, in the zone of its file or of ``tracker.timezone`` at that time.
        language, rights: as stated in its file, such as ``zh-CN`` and a copyright line.
        licensed_sites: hosts (``host`` or ``host:port``) that may publish the work without terms.
        licences: permissions with terms.
        passage_ids: its passages in reading order.
        characters: length of all passages in characters.
        postings: number of postings of its passages in the index (0 until indexed).
        sha256: hash over all passage hashes in order; equal values mean an unchanged text.
        indexed_version: the corpus version since which the index has its present text. Pages compared with an
            earlier version may lack its matches.
        status: ``stored`` waits to be indexed; ``failed``: indexing failed, see the worker's log;
            ``removed``: kept for some days and not used.
        removal: for a removed work.
        additions: of passages after the first loading, the earliest first.
        is_renamed: a user set the title; the title in the file does not replace it.
        edition_of: for another edition of a book: the id of the book's main work.
        role: the purpose of the text; the same for all editions of a book.
    """

    id: int
    key: str
    title: str
    kind: WorkKind
    origin: str
    author: str | None = None
    holder: str | None = None
    url: str | None = None
    published: ClaimedDate | None = None
    language: str | None = None
    rights: str | None = None
    licensed_sites: tuple[str, ...] = ()
    licences: tuple[SiteLicence, ...] = ()
    passage_ids: tuple[int, ...] = ()
    characters: int = 0
    postings: int = 0
    sha256: str = ""
    indexed_version: int = 0
    status: WorkStatus = "stored"
    removal: Removal | None = None
    edition_of: int | None = None
    role: WorkRole = "protected"
    is_renamed: bool = False
    additions: tuple[Addition, ...] = ()
    added: datetime = field(default_factory=utc_now)
    updated: datetime = field(default_factory=utc_now)
    attempts: int = 0
    lease: Lease = FREE

    @property
    def book_id(self) -> int:
        """The id of the book; licences, matches and cases of all editions belong to the book."""
        return self.id if self.edition_of is None else self.edition_of

    def dated(self, passage_id: int, *, before: datetime) -> datetime | None:
        """Return when a passage first existed; None if that is unknown.

        This is the date of the work or, for a passage that was added later, the time when it was loaded.

        Args:
            passage_id: id of one of its passages.
            before: a moment when the passage existed; later loadings are ignored.
        """
        later = [
            addition.at
            for addition in self.additions
            if addition.first_id <= passage_id and addition.at <= before
        ]
        published = self.published.at if self.published else None
        return max(filter(None, (published, *later[-1:])), default=None)

    @property
    def is_owned(self) -> bool:
        """Whether a rights holder owns the work; background texts have no owner."""
        return self.role != "background"

    @property
    def permissions(self) -> tuple[SiteLicence, ...]:
        """All licences; an entry of ``licensed`` becomes a licence without terms."""
        return (*(SiteLicence(site=site) for site in self.licensed_sites), *self.licences)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageHead:
    """A passage without its text; as long as the head is the same, the text is the same.

    Attributes:
        id: fits 32 bits, unsigned. A passage whose text changes gets a new one.
        sha256: hash of its text and of its title in the file.
    """

    id: int
    work_id: int
    ordinal: int
    title: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(PassageHead):
    """One chapter or article of a work: the indexed unit."""

    text: str

    @property
    def head(self) -> PassageHead:
        """The passage without its text."""
        return PassageHead(
            id=self.id,
            work_id=self.work_id,
            ordinal=self.ordinal,
            title=self.title,
            sha256=self.sha256,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintSet:
    """Selected hashes of one passage under one set of parameters.

    Attributes:
        hashes: little-endian ``uint64``, packed.
        positions: little-endian ``uint32`` letter positions, packed; as many as hashes.
    """

    passage_id: int
    params_id: str
    hashes: bytes
    positions: bytes
