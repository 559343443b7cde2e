"""Compare a text, a page or a file with the protected works now, without storing it."""

import tempfile
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from analysis.accounts.permissions import Identity
from analysis.health.services import missing_works
from analysis.queries.scope import owners_of
from analysis.reading.untrusted_pages import PageUnreadable, facts_of, readers_with, reading_slot, texts_of
from crawler.extraction import NO_CONTEXT
from crawler.pages.captured import MAX_BODY_BYTES, CapturedPage, checked
from crawler.pages.captured_documents import captured_form_of, read_captured
from crawler.pages.warc_reading import decode_body
from crawler.readers.questions import PageQuestion
from crawler.sources.fetching import FetchedResponse, fetch
from storage.records import UNCOUNTED, MatchPart, UnreadReason, union_length, utc_now
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Limit, Throttle
from system.errors import PindnaError
from system.messages import N_
from tracker.comparison import ComparedText, Comparison, Facts, PassageMatch, RestText, compare
from tracker.corpus.forms import PAGES, Rules, read_content
from tracker.corpus.texts import clean_text, compared_text
from tracker.judgement.parts import PartVerdicts
from tracker.judgement.reviewing import UNDECIDED
from tracker.runtime import Runtime
from tracker.scans.scanning import NothingToCompareWith

MAX_CHARS = 500_000  # characters of a text; comparing them takes some seconds
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_ADDRESS_CHARS = 2_000
_MAX_RECORDS = 10_000  # of a file with captured pages
_RULES = Rules(max_bytes=MAX_FILE_BYTES)
_OFTEN = Limit("checks", 60, 60)
# one at a time: a comparison uses a whole processor, and much memory
_comparing = threading.BoundedSemaphore(1)
_fetching = threading.BoundedSemaphore(4)


class TextTooLong(PindnaError):
    """A text has more characters than one check may have.

    Attributes:
        chars: number of characters.
        most: maximum number.
    """

    template = "The text has {chars} characters, more than the limit of {most}. Check it in parts."


class FileTooLong(PindnaError):
    """A file has more bytes than one check may have.

    Attributes:
        path: name of the file.
        most: maximum number of bytes.
    """

    template = "{path}: longer than the limit of {most} bytes. Check it in parts."


class NoSinglePage(PindnaError):
    """A file with captured pages contains no page, or several.

    Attributes:
        path: the file.
        count: number of pages.
    """

    template = (
        "{path} contains {count} pages, and one page can be checked at a time. An operator can import it."
    )


class NotAnAddress(PindnaError):
    """A text is not the address of a page.

    Attributes:
        url: the text.
    """

    template = "{url} is not a page address. An address starts with http:// or https://."


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check.

    Attributes:
        name: name of the text, such as a file name or the address of a page.
        text: the compared text; for a page, its article. Offsets of matches refer to it.
        rest: for a page, all other text. Offsets of matches outside the article refer to it.
        unread: reasons why parts of a page could not be compared, with their numbers.
        comparison: the matches with protected works; for a rights holder, only with its own works.
        left_out: number of these works that are not in the index, so the text was not compared with them.
    """

    name: str
    text: str
    comparison: Comparison
    left_out: int
    rest: str = ""
    unread: Mapping[UnreadReason, int] = field(default_factory=dict)

    def text_of(self, section: MatchPart) -> str:
        """Return the text to which the offsets of a match refer."""
        return self.rest if section == "rest" else self.text


def check_text(identity: Identity, runtime: Runtime, text: str, *, name: str = "text") -> Checked:
    """Compare a text with the protected works.

    Args:
        identity: the user or program that asks; a rights holder gets results on its own works.
        runtime: the open services.
        text: the text as it was typed.
        name: name of the text for messages.

    Raises:
        NotPermitted: the user may not check texts.
        TooOften: the user made too many checks.
        TextTooLong, NoHanText, EmptyFile: the text is too long, or has nothing to compare.
        NothingToCompareWith: no work is indexed.
        Busy: other users are checking texts.
        IndexUnusable, ServiceDown: the index or a service cannot be used.
    """
    _check_allowance(identity, runtime)
    if len(text) > MAX_CHARS:
        raise TextTooLong(chars=len(text), most=MAX_CHARS)
    cleaned = clean_text(text.encode("utf-8", "replace"), name, needs_han=False)
    return _compare(identity, runtime, cleaned, name, Facts())


def check_file(identity: Identity, runtime: Runtime, data: bytes, *, name: str) -> Checked:
    """Compare a file with the protected works: a text, a document, a book or a saved page.

    Args:
        identity: the user or program that asks.
        runtime: the open services.
        data: content of the file.
        name: name of the file; its extension determines how it is read.

    Raises:
        NotPermitted, TooOften, TextTooLong, NothingToCompareWith, Busy, IndexUnusable, ServiceDown: see
            :func:`check_text`.
        FileTooLong: the file is too long.
        PindnaError: the file cannot be used.
    """
    _check_allowance(identity, runtime)
    path = Path(Path(name).name or "file")
    if len(data) > MAX_FILE_BYTES:
        raise FileTooLong(path=str(path), most=MAX_FILE_BYTES)
    if path.suffix.lower() in PAGES:
        return _check_page(identity, runtime, FetchedResponse("", None, data), name=str(path))
    captured = _captured_page(data, str(path))
    if captured is not None:
        return _check_page(identity, runtime, captured, name=str(path))
    content = read_content(data, path, _RULES, needs_han=False)
    return _compare(identity, runtime, content.text, str(path), Facts())


def _captured_page(data: bytes, name: str) -> FetchedResponse | None:
    """Return the page in a file with captured pages; None for other files.

    Raises:
        NoSinglePage: the file contains no page, or several.
        PageUnreadable: the body of the page cannot be decoded.
    """
    with tempfile.NamedTemporaryFile(prefix="pindna-") as copy:
        copy.write(data)
        copy.flush()
        path = Path(copy.name)
        form = captured_form_of(path)
        if form is None:
            return None
        records = islice(read_captured(path, form), _MAX_RECORDS)
        now = utc_now()
        pages = [record for record in records if isinstance(record, CapturedPage)]
        pages = [page for page in pages if isinstance(checked(page, now), CapturedPage)]
    if len(pages) != 1:
        raise NoSinglePage(path=name, count=len(pages))
    try:
        body = decode_body(pages[0].payload, pages[0].header_block, max_bytes=MAX_BODY_BYTES)
    except (ValueError, OSError, EOFError) as error:
        raise PageUnreadable(path=name, reason=N_("its body cannot be decoded")) from error
    page = pages[0]
    return FetchedResponse(page.url, page.charset or None, body, content_type=page.content_type)


def check_address(identity: Identity, runtime: Runtime, url: str) -> Checked:
    """Fetch the page at an address, and compare it with the protected works.

    Private addresses are never fetched, even if ``crawler.allow_inner`` allows them. That setting is for the
    operator's sources, but everybody with a token may call this function.

    Raises:
        NotPermitted, TooOften, TextTooLong, NothingToCompareWith, Busy, IndexUnusable, ServiceDown: see
            :func:`check_text`.
        NotAnAddress, CannotFetch, PageUnreadable, NoTextToCompare: there is no page, or it has no text.
    """
    _check_allowance(identity, runtime)
    if not _is_address(url):
        raise NotAnAddress(url=url[:200])
    _require_works(runtime)
    with reading_slot(_fetching):
        fetched = fetch(url, is_public=True)
    return _check_page(identity, runtime, fetched, name=fetched.url)


def _check_allowance(identity: Identity, runtime: Runtime) -> None:
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


def _check_page(identity: Identity, runtime: Runtime, fetched: FetchedResponse, *, name: str) -> Checked:
    """Read a page in a process with limited memory and time, and compare it."""
    known_page = replace(
        NO_CONTEXT,
        sheets=fetched.sheets,
        content_type=fetched.content_type,
        is_rendered=fetched.is_rendered,
    )
    question = PageQuestion(fetched.body, fetched.url, fetched.declared, known_page)
    page = readers_with(runtime.settings.crawler.reader_megabytes).ask(question, name=name)
    texts = texts_of(page, name)
    checked = _make_result(
        identity, runtime, texts.article, name, facts_of(page, fetched.url), rest=texts.rest
    )
    return replace(checked, unread=texts.unread)


def _compare(identity: Identity, runtime: Runtime, text: str, name: str, facts: Facts) -> Checked:
    if len(text) > MAX_CHARS:
        raise TextTooLong(chars=len(text), most=MAX_CHARS)
    return _make_result(identity, runtime, compared_text(text, name), name, facts)


def _make_result(
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
    visible = comparison if identity.sees_everything else _visible_results(identity, comparison)
    return Checked(name, text.text, visible, left_out, rest=rest.text.text if rest else "")


def _visible_results(identity: Identity, comparison: Comparison) -> Comparison:
    """Return a comparison without the works that the user may not see."""
    visible = tuple(match for match in comparison.matches if identity.may_see(match.work.holder or ""))
    counted = [match for match in visible if match.verdict not in UNCOUNTED and match.part == "article"]
    spans = ((span.page_start, span.page_end) for match in counted for span in match.spans)
    copied = union_length(spans)
    verdicts = PartVerdicts.of(visible)
    return replace(
        comparison,
        matches=tuple(map(_without_decisions, visible)),
        verdict=verdicts.page,
        rest_verdict=verdicts.rest,
        is_doubtful=verdicts.is_doubtful,
        copied_chars=copied,
        coverage=round(copied / comparison.chars, 4) if comparison.chars else 0.0,
        background=(),
        taking_part=frozenset(),
    )


def _without_decisions(match: PassageMatch) -> PassageMatch:
    """Return a match without the decisions of analysts and their reasons."""
    return replace(match, reviewed=UNDECIDED)
