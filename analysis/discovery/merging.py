"""Merge the entries of files into candidates: the same entry twice changes nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from analysis.discovery.rows import ImportResult, ImportRow, completed, key_of, refusal_of
from storage.records import NO_RULES, Candidate, CandidateEvidence, CandidateForm
from system.sites import site_of

T = TypeVar("T")
MAX_URLS = 2_000  # of one candidate; a longer list is a source that a user writes
MAX_EVIDENCE = 50
_MAX_WORKS = 200
_MAX_REMARKS = 40
_LISTS = ("urls", "feeds", "sitemaps")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The file that entries come from.

    Attributes:
        name: of the file.
        sha256: of the file.
        form: its form.
    """

    name: str
    sha256: str
    form: CandidateForm


@dataclass(frozen=True, slots=True)
class SitedRow:
    """The part of an entry that is about one site.

    Attributes:
        site: the site.
        row: the entry with the addresses of this site alone.
        works: titles of the works that the entry names.
    """

    site: str
    row: ImportRow
    works: tuple[str, ...]


def parts_by_site(row: ImportRow, works: tuple[str, ...]) -> tuple[list[SitedRow], ImportResult]:
    """Return the parts of an entry by site, and why there is none.

    Addresses that cannot be those of a source are left out.
    """
    refused: ImportResult = "no-address"
    by_site: dict[str, dict[str, list[str]]] = {}
    for name in (*_LISTS, "search"):
        value = getattr(row, name)
        for address in map(completed, filter(None, (value,) if isinstance(value, str) else value)):
            if problem := refusal_of(address):
                refused = problem
            else:
                by_site.setdefault(site_of(address), {}).setdefault(name, []).append(address)
    return [SitedRow(site, _part_of(row, addresses), works) for site, addresses in by_site.items()], refused


def _part_of(row: ImportRow, addresses: dict[str, list[str]]) -> ImportRow:
    return replace(
        row,
        urls=tuple(addresses.get("urls", ())),
        feeds=tuple(addresses.get("feeds", ())),
        sitemaps=tuple(addresses.get("sitemaps", ())),
        search=next(iter(addresses.get("search", ())), ""),
    )


class Draft:
    """A candidate while entries are added to it.

    Args:
        site: its site.
        stored: the candidate before; None: it is new.
    """

    def __init__(self, site: str, stored: Candidate | None) -> None:
        self.stored = stored
        self._base = stored or Candidate(id=site)
        self._addresses = {name: {key_of(url): url for url in getattr(self._base, name)} for name in _LISTS}
        self._evidence = {(item.sha256, item.line): item for item in self._base.evidence}
        self._is_empty = stored is None

    @property
    def candidate(self) -> Candidate:
        """The candidate with all entries."""
        return replace(
            self._base,
            urls=tuple(self._addresses["urls"].values()),
            feeds=tuple(self._addresses["feeds"].values()),
            sitemaps=tuple(self._addresses["sitemaps"].values()),
            evidence=tuple(self._evidence.values()),
            rank=len(self._base.works),
        )

    def mark_stored(self) -> None:
        """Record that the candidate was stored with all entries."""
        self.stored = self._base = self.candidate

    @property
    def is_changed(self) -> bool:
        """Whether the entries add anything to what is stored."""
        return self.candidate != self.stored and self._base.state == "open"

    def add(self, site_row: SitedRow, file: FileFacts) -> ImportResult:
        """Add the part of an entry, and return what became of it. A decided candidate stays as it is."""
        before = self._base
        if before.state != "open":
            return before.state
        is_new, self._is_empty = self._is_empty, False
        has_more, has_no_room = self._add_addresses(site_row.row)
        has_more |= self._add_evidence(site_row, file)
        self._base = replace(
            before,
            search=before.search or site_row.row.search,
            search_charset=before.search_charset if before.search else site_row.row.search_charset,
            rules=site_row.row.rules if before.rules == NO_RULES else before.rules,
            works=_union(before.works, site_row.works, _MAX_WORKS),
            remarks=_union(before.remarks, site_row.row.remarks, _MAX_REMARKS),
            is_cut=before.is_cut or has_no_room,
        )
        if is_new:
            return "new"
        if has_no_room:
            return "full"
        return "extended" if has_more or self._base != before else "known"

    def _add_addresses(self, row: ImportRow) -> tuple[bool, bool]:
        """Add addresses; return whether one was new, and whether one had no room."""
        has_more = has_no_room = False
        for name, existing in self._addresses.items():
            for url in getattr(row, name):
                key = key_of(url)
                if key not in existing and len(existing) >= MAX_URLS:
                    has_no_room = True
                elif key not in existing:
                    existing[key] = url
                    has_more = True
        return has_more, has_no_room

    def _add_evidence(self, site_row: SitedRow, file: FileFacts) -> bool:
        key = (file.sha256, site_row.row.number)
        if key in self._evidence or len(self._evidence) >= MAX_EVIDENCE:
            return False
        self._evidence[key] = CandidateEvidence(
            file=file.name,
            sha256=file.sha256,
            form=file.form,
            line=site_row.row.number,
            text=site_row.row.text,
            works=site_row.works,
        )
        return True


def _union(existing: Sequence[T], more: Iterable[T], most: int) -> tuple[T, ...]:
    """Return the items of both without repetition, up to a number; the known ones come first."""
    items = list(existing)
    for item in more:
        if item not in items and len(items) < most:
            items.append(item)
    return tuple(items)
