"""Candidates: sites that files of users name, which a person accepts as sources or rejects.

No candidate is requested before a person accepts it.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args
from urllib.parse import urlsplit

from storage.records.sources import NO_RULES, SiteRules, SourceKind
from storage.records.times import utc_now
from system.messages import Message

CandidateState = Literal["open", "accepted", "rejected"]
CANDIDATE_STATES: tuple[CandidateState, ...] = get_args(CandidateState)

# The forms of imported files. Labels: ``analysis.words.labels.CANDIDATE_FORMS``.
CandidateForm = Literal[
    "book-sources",
    "opml",
    "feed",
    "sitemap",
    "bookmarks",
    "addresses",
    "workbook",
    "index",
    "removals",
    "chat",
]
CANDIDATE_FORMS: tuple[CandidateForm, ...] = get_args(CandidateForm)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateEvidence:
    """The entry of a file that names a site.

    Attributes:
        file: name of the file.
        sha256: of the file, in hexadecimal.
        form: form of the file.
        line: number of the entry in the file, from 1: a line, a row, or an object.
        text: the entry, shortened.
        works: titles of protected works that the entry names.
    """

    file: str
    sha256: str
    form: CandidateForm
    line: int
    text: str
    works: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A site that may have copies, with the evidence for it and what a source of it would crawl.

    Attributes:
        id: the site: the registered domain, or an address with its port.
        urls: start addresses, distinct, in the order of the files.
        sitemaps: addresses of sitemaps.
        feeds: addresses of feeds.
        search: address of a search of the site, with ``{key}`` for a title; empty: none is known.
        search_charset: encoding of titles in that address.
        rules: selectors of text and fields.
        remarks: parts of the files that cannot be used, such as rules in JavaScript.
        evidence: the first entries that name the site.
        works: titles of protected works that the entries name.
        rank: number of these works; lists begin with the highest rank.
        is_cut: whether files name more addresses than a candidate may have.
        added: when the site was first imported.
        by, reason, decided: who accepted or rejected it, why and when; None: no one yet.
        source: name of the source that it became.
    """

    id: str
    state: CandidateState = "open"
    urls: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    search: str = ""
    search_charset: str = "utf-8"
    rules: SiteRules = NO_RULES
    remarks: tuple[Message, ...] = ()
    evidence: tuple[CandidateEvidence, ...] = ()
    works: tuple[str, ...] = ()
    rank: int = 0
    is_cut: bool = False
    added: datetime = field(default_factory=utc_now)
    by: str = ""
    reason: str = ""
    decided: datetime | None = None
    source: str = ""

    @property
    def kind(self) -> SourceKind:
        """Return the kind of source that suits what the files name."""
        if self.search or self.sitemaps:
            return "site"
        if self.feeds:
            return "news"
        return "site" if all(map(_is_front_page, self.urls)) else "urls"


def _is_front_page(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in {"", "/"} and not parts.query
