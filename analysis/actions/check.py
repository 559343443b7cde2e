"""A text, a page or a file compared now with the protected works; nothing of it is stored."""

import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from analysis.accounts.permissions import Identity
from analysis.health.services import missing_works
from analysis.queries.scope import owners_of
from analysis.reading.untrusted_pages import facts_of, readers_with, reading_slot, texts_of
from crawler.extraction import NO_CONTEXT
from crawler.readers.questions import PageQuestion
from crawler.sources.fetching import FetchedResponse, fetch
from storage.records import UNCOUNTED, MatchPart, UnreadReason
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Limit, Throttle
from system.errors import PindnaError
from tracker.comparison import ComparedText, Comparison, Facts, PassageMatch, RestText, compare
from tracker.corpus.forms import PAGES, Rules, read_content
from tracker.corpus.texts import clean_text, compared_text
from tracker.judgement.cases import union_length
from tracker.judgement.parts import PartVerdicts
from tracker.judgement.reviewing import UNDECIDED
from tracker.runtime import Runtime
from tracker.scans.scanning import NothingToCompareWith

MAX_CHARS = 500_000  # of a text that is checked: some seconds
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_ADDRESS_CHARS = 2_000
_RULES = Rules(max_bytes=MAX_FILE_BYTES)
_OFTEN = Limit("checks", 60, 60)
_comparing = threading.BoundedSemaphore(1)  # it takes a processor, and keeps the texts that it meets
_fetching = threading.BoundedSemaphore(4)


class TextTooLong(PindnaError):
    """A text has more characters than are checked at once. Data: ``chars``, ``most``."""

    template = "The text has {chars} characters, more than the limit of {most}. Check it in parts."


class FileTooLong(PindnaError):
    """A file has more bytes than are read at once. Data: ``path``, ``most``."""

    template = "{path}: longer than the limit of {most} bytes. Check it in parts."


class NotAnAddress(PindnaError):
    """What is given is no address of a page. Data: ``url``."""

    template = "{url} is not a page address. An address starts with http:// or https://."


@dataclass(frozen=True, slots=True)
class Checked:
    """A text that was checked.

    Attributes:
        name: of the text: a file's, or the address of a page.
        text: as it was compared, to which the offsets of the comparison refer; of a page its article.
        rest: of a page all other text; offsets of matches outside the article count in it.
        unread: what of a page could not be compared.
        comparison: what it has from protected works; for a rights holder, from its works.
        left_out: how many of these works are not in the index, so that nothing was compared with them.
    """

    name: str
    text: str
    comparison: Comparison
    left_out: int
    rest: str = ""
    unread: Mapping[UnreadReason, int] = field(default_factory=dict)

    def text_of(self, section: MatchPart) -> str:
        """Return the text that the offsets of a match count in."""
        return self.rest if section == "rest" else self.text


def check_text(identity: Identity, runtime: Runtime, text: str, *, name: str = "text") -> Checked:
    """Return what a text has from protected works.

    Args:
        identity: of the caller; a rights holder gets results on its own works.
        runtime: the open services.
        text: as it was typed.
        name: of it, for messages.

    Raises:
        NotPermitted: checking is not this one's to do.
        TooOften: it was done too often.
        TextTooLong, NoHanText, EmptyFile: there is nothing to compare, or too much.
        NothingToCompareWith: no work is indexed.
        Busy: too many are at it.
        IndexUnusable, ServiceDown: the index, or a service, cannot be used.
    """
    _begin(identity, runtime)
    if len(text) > MAX_CHARS:
        raise TextTooLong(chars=len(text), most=MAX_CHARS)
    cleaned = clean_text(text.encode("utf-8", "replace"), name, needs_han=False)
    return _compared(identity, runtime, cleaned, name, Facts())


def check_file(identity: Identity, runtime: Runtime, data: bytes, *, name: str) -> Checked:
    """Return what a file has from protected works: a text, a document, a book or a saved page.

    Args:
        identity: asks.
        runtime: the open services.
        data: the file.
        name: of the file, whose ending says what it is.

    Raises:
        NotPermitted, TooOften, TextTooLong, NothingToCompareWith, Busy, IndexUnusable, ServiceDown: see
            :func:`check_text`.
        FileTooLong: it is not read.
        PindnaError: what is wrong with the file.
    """
    _begin(identity, runtime)
    path = Path(Path(name).name or "file")
    if len(data) > MAX_FILE_BYTES:
        raise FileTooLong(path=str(path), most=MAX_FILE_BYTES)
    if path.suffix.lower() in PAGES:
        return _page(identity, runtime, FetchedResponse("", None, data), name=str(path))
    content = read_content(data, path, _RULES, needs_han=False)
    return _compared(identity, runtime, content.text, str(path), Facts())


def check_address(identity: Identity, runtime: Runtime, url: str) -> Checked:
    """Return what the page at an address has from protected works.

    No private address is fetched, also none that ``crawler.allow_inner`` opens: that setting is for the
    operator's sources, and any holder of a token may call this.

    Raises:
        NotPermitted, TooOften, TextTooLong, NothingToCompareWith, Busy, IndexUnusable, ServiceDown: see
            :func:`check_text`.
        NotAnAddress, CannotFetch, PageUnreadable, NoTextToCompare: there is no page, or none with a text.
    """
    _begin(identity, runtime)
    if not _is_address(url):
        raise NotAnAddress(url=url[:200])
    _require_works(runtime)
    with reading_slot(_fetching):
        fetched = fetch(url, is_public=True)
    return _page(identity, runtime, fetched, name=fetched.url)


def _begin(identity: Identity, runtime: Runtime) -> None:
    identity.require("check:run")
    with closing(open_redis(runtime.settings.storage)) as client:
        Throttle(client).count(_OFTEN, identity.account.name)


def _require_works(runtime: Runtime) -> None:
    if not runtime.stores.works.count_owned("indexed"):
        raise NothingToCompareWith


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_page = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_page and "@" not in parts.netloc and len(url) <= MAX_ADDRESS_CHARS


def _page(identity: Identity, runtime: Runtime, fetched: FetchedResponse, *, name: str) -> Checked:
    """Return what a page has from protected works, which a bounded process reads."""
    known_page = replace(
        NO_CONTEXT,
        sheets=fetched.sheets,
        content_type=fetched.content_type,
        is_rendered=fetched.is_rendered,
    )
    question = PageQuestion(fetched.body, fetched.url, fetched.declared, known_page)
    page = readers_with(runtime.settings.crawler.reader_megabytes).ask(question, name=name)
    texts = texts_of(page, name)
    checked = _checked(identity, runtime, texts.article, name, facts_of(page, fetched.url), rest=texts.rest)
    return replace(checked, unread=texts.unread)


def _compared(identity: Identity, runtime: Runtime, text: str, name: str, facts: Facts) -> Checked:
    if len(text) > MAX_CHARS:
        raise TextTooLong(chars=len(text), most=MAX_CHARS)
    return _checked(identity, runtime, compared_text(text, name), name, facts)


def _checked(
    identity: Identity,
    runtime: Runtime,
    text: ComparedText,
    name: str,
    facts: Facts,
    *,
    rest: RestText | None = None,
) -> Checked:
    if len(text.text) > MAX_CHARS:
        raise TextTooLong(chars=len(text.text), most=MAX_CHARS)
    _require_works(runtime)
    left_out = missing_works(runtime.stores, owners=owners_of(identity))
    with reading_slot(_comparing):
        comparison = compare(text, runtime.corpus(), facts=facts, rest=rest)
    visible = comparison if identity.sees_everything else _own(identity, comparison)
    return Checked(name, text.text, visible, left_out, rest=rest.text.text if rest else "")


def _own(identity: Identity, comparison: Comparison) -> Comparison:
    """Return a comparison without what it says of others' works."""
    visible = tuple(match for match in comparison.matches if identity.may_see(match.work.holder or ""))
    counted = [match for match in visible if match.verdict not in UNCOUNTED and match.part == "article"]
    spans = ((span.page_start, span.page_end) for match in counted for span in match.spans)
    copied = union_length(spans)
    verdicts = PartVerdicts.of(visible)
    return replace(
        comparison,
        matches=tuple(map(_undecided, visible)),
        verdict=verdicts.page,
        rest_verdict=verdicts.rest,
        is_doubtful=verdicts.is_doubtful,
        copied_chars=copied,
        coverage=round(copied / comparison.chars, 4) if comparison.chars else 0.0,
        background=(),
        taking_part=frozenset(),
    )


def _undecided(match: PassageMatch) -> PassageMatch:
    """Return a match without what analysts decided about stretches, and why."""
    return replace(match, reviewed=UNDECIDED)
