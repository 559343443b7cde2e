"""The stored evidence of a match's page: responses, screenshots, versions, and their log entries."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.evidence.captures import CaptureEvidence, CaptureFacts, charset_of, facts_of, read_exchange
from analysis.queries.matches import get_match
from analysis.queries.pages import versions_of
from analysis.queries.scope import only_visible, require_visible
from crawler.pages.verifying import Verifier
from crawler.pages.warc_reading import ArchivedExchange
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import Capture, CaptureKind, Match, Page
from system.errors import UnknownId

_PICTURES = 3  # maximum number of screenshots of a page, the newest ones


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCapture:
    """A stored capture.

    Attributes:
        facts: facts about the capture, and the result of its check.
        kind: a response, or a screenshot of the page.
        entry: number of its entry in the evidence log; None: it has no entry yet.
    """

    facts: CaptureFacts
    kind: CaptureKind
    entry: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a page, and the name of its match with the same work."""

    page: Page
    match: str


def captures_of_match(identity: Identity, stores: Stores, match: Match, page: Page) -> list[StoredCapture]:
    """Return the captures from which the text of a page was read, then its newest screenshots.

    Args:
        identity: the user or program that asks.
        stores: the database.
        match: a match from :func:`analysis.queries.matches.get_match`.
        page: page of the match.

    Raises:
        NotPermitted: the user may not read evidence.
        UnknownId: there is no such match that the user may see.
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
    """Return the versions of a page that the user may see, the last seen first.

    Raises:
        NotPermitted: the user may not read pages.
    """
    versions = versions_of(identity, stores, page)
    matches = stores.matches.of_pages([version.id for version in versions])
    visible = only_visible(identity, stores, matches, lambda other: other.work_id)
    names = {other.page_id: other.name for other in visible if other.passage_id == match.passage_id}
    return [Version(page=version, match=names.get(version.id, "")) for version in versions]


def case_of_match(identity: Identity, stores: Stores, match: Match) -> str:
    """Return the name of the case of a match; empty if there is none, or the user may not see it."""
    if "cases:read" not in identity.permissions:
        return ""
    key = case_id(match.work_id, match.site)
    case = stores.cases.get_many([key]).get(key)
    return case.name if case else ""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A stored body.

    Attributes:
        exchange: the body with its request and headers.
        declared: charset that was declared for the body.
    """

    exchange: ArchivedExchange
    declared: str | None


def body_of_match(identity: Identity, stores: Stores, name: str, sha256: str) -> StoredBody:
    """Return a stored response or screenshot of a match's page.

    Args:
        identity: the user or program that asks.
        stores: the database.
        name: name of the match.
        sha256: SHA-256 of the body.

    Raises:
        NotPermitted: the user may not read evidence.
        UnknownId: there is no such match that the user may see, or nothing of this digest of its page.
        SnapshotDamaged: the body was changed after it was stored.
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
    return StoredBody(exchange, charset_of(exchange))


def records_of_match(identity: Identity, stores: Stores, name: str, sha256: str) -> bytes:
    """Return the WARC records of a body of :func:`body_of_match`, for users who may export evidence.

    Raises:
        NotPermitted, UnknownId, SnapshotDamaged, ServiceDown: see there.
    """
    identity.require("evidence:export")
    body_of_match(identity, stores, name, sha256)
    return stores.snapshots.get(sha256).warc
