"""Import a file: every entry has a result, and candidates are stored in batches.

Candidates of a batch are stored before its results are reported, and entries that are stored already change
nothing. So an import that was interrupted is continued by importing the same file again.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from analysis.discovery.files import ImportedFile
from analysis.discovery.forms import NEEDS_WORK, form_of, read_rows
from analysis.discovery.merging import Draft, FileFacts, SitedRow, parts_by_site
from analysis.discovery.rows import (
    CUT_ROWS,
    MAX_SHOWN_CHARS,
    STORED,
    ImportResult,
    ImportRow,
)
from analysis.discovery.titles import TitleFinder, titles_of
from storage.collections.stores import Stores
from storage.records import CandidateForm
from system.batches import batched
from system.local_files import readable
from system.messages import Message

MAX_ROWS = 5_000_000
_BATCH = 2_000
_MAX_DRAFTS = 50_000  # in memory; further ones are read again
_BEST_FIRST: tuple[ImportResult, ...] = ("new", "extended", "full", "known", "accepted", "rejected")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLine:
    """The result of an entry.

    Attributes:
        number: of the entry, from 1; 0: a result about the whole file.
        text: the entry, shortened.
        result: what became of it.
        sites: the sites that it names.
        works: the titles of works that it names.
        remarks: parts of it that cannot be used.
    """

    number: int
    text: str
    result: ImportResult
    sites: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    remarks: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """The result of a file.

    Attributes:
        name: of the file.
        form: its form.
        sha256: of the file.
        counts: number of entries by result.
        sites: number of sites that the file names for the first time.
    """

    name: str
    form: CandidateForm
    sha256: str
    counts: Mapping[ImportResult, int]
    sites: int

    @property
    def is_whole(self) -> bool:
        """Whether every entry could be read."""
        return not (self.counts.get("damaged") or self.counts.get("cut"))


Report = Callable[[Sequence[ImportLine]], None]


class KeptLines:
    """Some results of a file: those with a problem first, at most a number of each sort.

    Args:
        most: the number.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._problems: list[ImportLine] = []
        self._stored: list[ImportLine] = []

    def report(self, lines: Sequence[ImportLine]) -> None:
        """Add results."""
        for line in lines:
            kept = self._stored if line.result in STORED and not line.remarks else self._problems
            if len(kept) < self._most:
                kept.append(line)

    @property
    def lines(self) -> list[ImportLine]:
        """The kept results, at most the number."""
        return [*self._problems, *self._stored][: self._most]


def import_file(stores: Stores, path: Path, *, name: str, report: Report) -> ImportSummary:
    """Store the sites that a file names as candidates.

    Args:
        stores: the database.
        path: the file.
        name: its name as people see it; empty: as on the disk.
        report: receives the results of entries, in order, after they are stored.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be read.
        UnknownImportForm, CapturedPages, BadWorkbook: its content cannot be imported.
    """
    file = ImportedFile(path)
    form = form_of(file)
    facts = FileFacts(name or readable(path.name), file.sha256, form)
    titles = titles_of(stores, with_holders=form == "removals")
    counts: Counter[ImportResult] = Counter()
    sites, drafts = 0, _Drafts(stores)
    rows = read_rows(file, form)
    for batch in batched(islice(rows, MAX_ROWS), _BATCH):
        lines, new = _store_batch(drafts, batch, facts, titles)
        counts.update(line.result for line in lines)
        sites += new
        report(lines)
    if next(rows, None) is not None:
        file.problem = CUT_ROWS
    if file.problem.template:
        counts["cut"] += 1
        report([ImportLine(number=0, text="", result="cut", remarks=(file.problem,))])
    return ImportSummary(name=facts.name, form=form, sha256=file.sha256, counts=counts, sites=sites)


class _Drafts:
    """The candidates of a file under way. The ids of all candidates are read once, each record at most once.

    Args:
        stores: the database.
    """

    def __init__(self, stores: Stores) -> None:
        self._candidates = stores.candidates
        self._stored_sites = stores.candidates.sites()
        self._drafts: dict[str, Draft] = {}

    def load(self, sites: Sequence[str]) -> int:
        """Make the drafts of some sites available; return how many of the sites are new."""
        if len(self._drafts) + len(sites) > _MAX_DRAFTS:
            self._drafts.clear()
        missing = [site for site in sites if site not in self._drafts]
        existing = self._candidates.get_many([site for site in missing if site in self._stored_sites])
        self._drafts.update((site, Draft(site, existing.get(site))) for site in missing)
        return sum(site not in existing for site in missing)

    def add(self, site_row: SitedRow, file: FileFacts) -> ImportResult:
        """Add the part of an entry to its draft, and return what became of it."""
        return self._drafts[site_row.site].add(site_row, file)

    def store(self, sites: Sequence[str]) -> None:
        """Store the drafts of some sites that changed."""
        drafts = [self._drafts[site] for site in sites if self._drafts[site].is_changed]
        self._candidates.add_new([draft.candidate for draft in drafts if draft.stored is None])
        self._candidates.change_found([draft.candidate for draft in drafts if draft.stored is not None])
        for draft in drafts:
            draft.mark_stored()
            self._stored_sites.add(draft.candidate.id)


def _store_batch(
    drafts: _Drafts, rows: Sequence[ImportRow], file: FileFacts, titles: TitleFinder
) -> tuple[list[ImportLine], int]:
    """Store the candidates of some entries; return the results, and the number of new candidates."""
    read = [_read_row(row, file, titles) for row in rows]
    sites = list(dict.fromkeys(site_row.site for _, parts, _ in read for site_row in parts))
    new = drafts.load(sites)
    lines = [
        _line_of(row, parts, refused, [drafts.add(site_row, file) for site_row in parts])
        for row, parts, refused in read
    ]
    drafts.store(sites)
    return lines, new


def _read_row(
    row: ImportRow, file: FileFacts, titles: TitleFinder
) -> tuple[ImportRow, list[SitedRow], ImportResult]:
    """Return an entry with its parts by site, and why it has none."""
    if row.problem is not None:
        return row, [], row.problem
    works = titles.find(" ".join((row.text, *row.addresses)))
    if file.form in NEEDS_WORK and not works:
        return row, [], "no-work"
    parts, refused = parts_by_site(row, works)
    return row, parts, refused


def _line_of(
    row: ImportRow, parts: Sequence[SitedRow], refused: ImportResult, results: Sequence[ImportResult]
) -> ImportLine:
    best = min(results, key=_BEST_FIRST.index) if results else refused
    return ImportLine(
        number=row.number,
        text=row.text[:MAX_SHOWN_CHARS],
        result=best,
        sites=tuple(site_row.site for site_row in parts),
        works=parts[0].works if parts else (),
        remarks=row.remarks if best in STORED else (),
    )
