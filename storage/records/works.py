"""Works of the mother corpus, their passages and fingerprints."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.leases import FREE, Lease
from storage.records.times import ClaimedDate, utc_now

WorkKind = Literal["novel", "news"]
WORK_KINDS: tuple[WorkKind, ...] = get_args(WorkKind)

# ``earlier``: a holder's earlier publication, which comes before its later works; ``background``: nobody's.
WorkRole = Literal["protected", "earlier", "background"]
WORK_ROLES: tuple[WorkRole, ...] = get_args(WorkRole)

WorkStatus = Literal["stored", "indexed", "failed", "removed"]
WORK_STATES: tuple[WorkStatus, ...] = get_args(WorkStatus)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteLicence:
    """A site's permission to publish a work, with its terms.

    Attributes:
        site: host (``host`` or ``host:port``), or a pattern such as ``*.example.cn``.
        since: the first moment of the permission; None: without beginning.
        until: the first moment after it; None: without end.
        attribution: the page must name the work's title, author or rights holder.
        share: largest share of a passage that a page may hold; None: all of it.
        timezone: in which its first and last day were meant; empty, of an older one: ``tracker.timezone``.
    """

    site: str
    since: datetime | None = None
    until: datetime | None = None
    attribution: bool = False
    share: float | None = None
    timezone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A work that was removed and may come back, with what was known of it then.

    Attributes:
        at: when it was removed.
        key: the work's natural key before; another work may bear it now.
        decided: matches that an analyst confirmed or dismissed.
        captures: fetches that are kept as evidence of its matches.
        whole: nothing of it is found any more; False while it is being removed or restored.
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
    """Passages that a work got after it was loaded first: the new chapters of a serial.

    Attributes:
        first_id: lowest id of them; ids only grow.
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
        published: the date that it bears, in the zone of its file or of ``tracker.timezone`` at that time.
        language, rights: as its file says, such as ``zh-CN`` and a line on the copyright.
        licensed_sites: hosts (``host`` or ``host:port``) that may publish the work, without any terms.
        licences: permissions with terms.
        passage_ids: its passages in reading order.
        characters: length of all passages in characters.
        postings: how many postings its passages have in the index (0 until indexed).
        sha256: of all passages' hashes in order; equal means nothing changed.
        indexed_version: the corpus version since which it is known as it is now; pages that were compared
            with an earlier one may miss it.
        status: ``stored`` waits to be indexed; ``failed`` could not be, for a reason in the worker's log;
            ``removed`` is kept for some days and takes part in nothing.
        removal: of a removed work.
        additions: of passages after the first loading, the earliest first.
        is_renamed: its title was given to it by hand, and its file's does not go over that.
        edition_of: the id of the work that stands for the book, where this is another edition of it.
        role: what the text is here for; the same for all editions of a book.
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
        """The id of the book: licences, matches and cases follow the book, whatever the edition."""
        return self.id if self.edition_of is None else self.edition_of

    def dated(self, passage_id: int, *, before: datetime) -> datetime | None:
        """Return when a passage was there first, as far as it can be told; None: not at all.

        That is the day that the work bears, or, of a passage that came later, when it was loaded.

        Args:
            passage_id: of one of its passages.
            before: a moment at which the passage was there; what was loaded after that says nothing.
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
        """Whether somebody's right is in it; background text is nobody's, and no page can be a copy of it."""
        return self.role != "background"

    @property
    def permissions(self) -> tuple[SiteLicence, ...]:
        """Every licence; a licensed site is one without terms."""
        return (*(SiteLicence(site=site) for site in self.licensed_sites), *self.licences)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageHead:
    """A passage but for its text, which never changes while its head is the same.

    Attributes:
        id: fits 32 bits, unsigned. A passage whose text changes gets a new one.
        sha256: of its title in its file and its text.
    """

    id: int
    work_id: int
    ordinal: int
    title: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(PassageHead):
    """One chapter or article of a work: the unit that is indexed."""

    text: str

    @property
    def head(self) -> PassageHead:
        """The passage but for its text."""
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
