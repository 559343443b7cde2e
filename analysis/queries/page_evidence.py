"""What is kept of a match's page: responses, pictures, versions, and where the evidence log has them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.evidence.archived import RENDERED, declared_charset
from analysis.evidence.captures import CaptureEvidence, CaptureFacts, facts_of, read_exchange
from analysis.queries.matches import get_match
from analysis.queries.pages import versions_of
from analysis.queries.scope import only_visible, require_visible
from crawler.pages.verifying import Verifier
from crawler.pages.warc_reading import ArchivedExchange
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import Capture, CaptureKind, Match, Page
from system.errors import UnknownId

_PICTURES = 3  # of a page, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCapture:
    """A fetch that is kept.

    Attributes:
        facts: what it is, and whether it is what it was.
        kind: a response, or a picture of the page.
        entry: its number in the evidence log; None: it has none yet.
    """

    facts: CaptureFacts
    kind: CaptureKind
    entry: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a page, and the match that it has with the same work."""

    page: Page
    match: str


def captures_of_match(identity: Identity, stores: Stores, match: Match, page: Page) -> list[StoredCapture]:
    """Return the captures that a page's text was taken from, then its newest pictures.

    Args:
        identity: asks.
        stores: the database.
        match: of :func:`analysis.queries.matches.get_match`.
        page: of the match.

    Raises:
        NotPermitted: evidence is not this one's to read.
        UnknownId: there is no such match for this one.
        ServiceDown, StorageFailed: the database refused.
    """
    identity.require("evidence:read")
    require_visible(identity, stores, match.work_id, kind="match", name=match.name)
    responses = [*CaptureEvidence(stores).of_page(page)]
    pictures = list(_pictures(stores, page.url))
    ids = [facts.id for facts in (*responses, *pictures) if facts.id]
    leaves = stores.evidence_log.leaves_of("capture", ids)
    kinds: list[tuple[CaptureKind, list[CaptureFacts]]] = [("response", responses), ("screenshot", pictures)]
    return [
        StoredCapture(facts=facts, kind=kind, entry=leaves[facts.id].id if facts.id in leaves else None)
        for kind, capture in kinds
        for facts in capture
    ]


def _pictures(stores: Stores, url: str) -> Iterator[CaptureFacts]:
    verifier = Verifier(stores)
    for capture in _screenshots(stores.captures.of_url(url))[:_PICTURES]:
        yield facts_of(verifier.check(capture))


def _screenshots(captures: Iterable[Capture]) -> list[Capture]:
    return [capture for capture in captures if capture.kind == "screenshot"]


def versions_with_matches(identity: Identity, stores: Stores, match: Match, page: Page) -> list[Version]:
    """Return the versions of a page that may be seen, the one seen last first.

    Raises:
        NotPermitted: pages are not this one's to read.
    """
    versions = versions_of(identity, stores, page)
    matches = stores.matches.of_pages([version.id for version in versions])
    visible = only_visible(identity, stores, matches, lambda other: other.work_id)
    names = {other.page_id: other.name for other in visible if other.passage_id == match.passage_id}
    return [Version(page=version, match=names.get(version.id, "")) for version in versions]


def case_of_match(identity: Identity, stores: Stores, match: Match) -> str:
    """Return the name of the case that a match is of; empty where there is none, or not for this one."""
    if "cases:read" not in identity.permissions:
        return ""
    key = case_id(match.work_id, match.site)
    case = stores.cases.get_many([key]).get(key)
    return case.name if case else ""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A body that is kept.

    Attributes:
        exchange: it and what came with it.
        declared: charset that was declared for it.
    """

    exchange: ArchivedExchange
    declared: str | None


def body_of_match(identity: Identity, stores: Stores, name: str, sha256: str) -> StoredBody:
    """Return a response, or a picture, that is kept of a match's page.

    Args:
        identity: asks.
        stores: the database.
        name: of the match.
        sha256: of the body.

    Raises:
        NotPermitted: evidence is not this one's to read.
        UnknownId: there is no such match for this one, or nothing of this digest of its page.
        SnapshotDamaged: it is not what was stored.
    """
    identity.require("evidence:read")
    match = get_match(identity, stores, name)
    pages = stores.pages.without_texts([match.page_id])
    digests = {digest for page in pages for digest in page.snapshots}
    if sha256 not in digests:
        digests = {capture.sha256 for capture in _screenshots(stores.captures.of_url(match.url))}
    if sha256 not in digests:
        raise UnknownId(kind="snapshot", name=sha256[:64])
    exchange = read_exchange(sha256, stores)
    is_rendered = exchange.body != exchange.document
    return StoredBody(exchange, RENDERED if is_rendered else declared_charset(exchange.headers))


def records_of_match(identity: Identity, stores: Stores, name: str, sha256: str) -> bytes:
    """Return the WARC records of a body of :func:`body_of_match`, for those who may take evidence with them.

    Raises:
        NotPermitted, UnknownId, SnapshotDamaged, ServiceDown: see there.
    """
    identity.require("evidence:export")
    body_of_match(identity, stores, name, sha256)
    return stores.snapshots.get(sha256).warc
