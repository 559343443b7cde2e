"""The entries of imported files, in one shape for all forms."""

from dataclasses import dataclass
from typing import Literal, get_args

from crawler.addresses import canonical, is_web
from crawler.sources.url_list import LineResult, refused_address
from storage.records import NO_RULES, SiteRules
from system.messages import N_, Message

# What became of an entry. Labels: ``analysis.words.labels.IMPORT_LINES``.
ImportResult = Literal[
    "new",
    "extended",
    "known",
    "full",
    "accepted",
    "rejected",
    "no-address",
    "no-work",
    "no-text",
    "inner",
    "login",
    "long",
    "damaged",
    "cut",
]
IMPORT_RESULTS: tuple[ImportResult, ...] = get_args(ImportResult)
# Results of entries that became, or are, part of a candidate.
STORED: frozenset[ImportResult] = frozenset({"new", "extended", "known", "full", "accepted", "rejected"})

MAX_SHOWN_CHARS = 300
CUT_BYTES = Message(N_("the file is too long; the rest of it was not read"))
CUT_ROWS = Message(N_("the file has too many entries; the rest of it was not read"))
DAMAGED = Message(N_("the file is damaged or ends early; entries may be missing"))
BROKEN_END = Message(N_("the file ends early; what is missing was not read"))

_REFUSALS: dict[LineResult, ImportResult] = {
    "long": "long",
    "inner": "inner",
    "login": "login",
    "no-address": "no-address",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """An entry of a file.

    Attributes:
        number: of the line, row or object, from 1.
        text: the entry as people see it; titles of works are searched in it.
        urls: addresses of pages or sites, not checked yet.
        sitemaps, feeds: addresses of lists, not checked yet.
        search: address of a search with ``{key}``, not checked yet.
        search_charset: encoding of titles in that address.
        rules: selectors of text and fields.
        remarks: parts of the entry that cannot be used.
        problem: why the entry is no candidate; None: it may be one.
    """

    number: int
    text: str
    urls: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    search: str = ""
    search_charset: str = "utf-8"
    rules: SiteRules = NO_RULES
    remarks: tuple[Message, ...] = ()
    problem: ImportResult | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """All addresses, those of pages first."""
        return (*self.urls, *self.feeds, *self.sitemaps, *((self.search,) if self.search else ()))


def completed(address: str) -> str:
    """Return an address with a scheme, without white space around it.

    >>> completed(" books.example/12 ")
    'http://books.example/12'
    """
    address = address.strip()
    return address if "://" in address else f"http://{address}"


def refusal_of(address: str) -> ImportResult | None:
    """Return why an address cannot be one of a source; None if it can."""
    result = refused_address(address)
    return None if result == "taken" else _REFUSALS[result]


def key_of(address: str) -> str:
    """Return the spelling by which addresses are compared."""
    return canonical(address) if is_web(address) else address
