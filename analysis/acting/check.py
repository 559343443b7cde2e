"""A text, a page or a file compared now with the protected works; nothing of it is stored."""

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from analysis.accounts.permissions import Identity
from crawler.extraction import NOTHING
from crawler.readers.pool import CannotRead, Reader
from crawler.readers.questions import PageQuestion
from crawler.sources.fetching import fetch
from storage.errors import PindnaError
from storage.records import PageKind
from storage.sites import host_of, site_of
from tracker.comparison import Comparison, Facts, PassageMatch, compare
from tracker.corpus.forms import DEFAULT_RULES, read_content
from tracker.corpus.texts import clean_text, compared_text
from tracker.judgement.cases import union_length
from tracker.judgement.reviewing import UNDECIDED
from tracker.judgement.verdict import gravest
from tracker.runtime import Runtime
from tracker.scans.scanning import NothingToCompareWith

MAX_CHARS = 500_000  # of a text that is checked: some seconds
_COMPARED: tuple[PageKind, ...] = ("article", "chapter")
_TURN_S = 30.0
_turn = threading.Lock()  # a comparison takes a processor, and the texts that it meets are kept in one place


class TextTooLong(PindnaError):
    """A text has more characters than are checked at once. Data: ``chars``, ``most``."""

    template = "The text has {chars} characters; {most} are checked at once. Check it in parts."


class NotAnAddress(PindnaError):
    """What is given is no address of a page. Data: ``url``."""

    template = "{url}: no address of a page; it begins with http:// or https://."


class NoTextThere(PindnaError):
    """A page holds no text that could be compared. Data: ``url``, ``page_kind``."""

    template = "{url}: holds no article and no chapter, so there is nothing to compare ({page_kind})."


class Busy(PindnaError):
    """Others are being served. Data: ``seconds``."""

    template = "Others are being served just now. Try again in {seconds} seconds."


def check_text(who: Identity, runtime: Runtime, text: str, *, name: str = "text") -> Comparison:
    """Return what a text has from protected works.

    Args:
        who: asks; a rights holder is told of its own works.
        runtime: the open services.
        text: as it was typed.
        name: of it, for messages.

    Raises:
        NotPermitted: checking is not this one's to do.
        TextTooLong, NoHanText, EmptyFile: there is nothing to compare, or too much.
        NothingToCompareWith: no work is indexed.
        Busy: too many are at it.
        IndexUnusable, ServiceDown: the index, or a service, cannot be used.
    """
    who.require("check:run")
    cleaned = clean_text(text.encode("utf-8", "replace"), name)
    return _compared(who, runtime, cleaned, name, Facts())


def check_file(who: Identity, runtime: Runtime, data: bytes, *, name: str) -> Comparison:
    """Return what a file has from protected works: a text, a document, a book or a saved page.

    Args:
        who: asks.
        runtime: the open services.
        data: the file.
        name: of the file, whose ending says what it is.

    Raises:
        NotPermitted, TextTooLong, NothingToCompareWith, Busy, IndexUnusable, ServiceDown: see
            :func:`check_text`.
        PindnaError: what is wrong with the file.
    """
    who.require("check:run")
    if Path(name).suffix.lower() in {".html", ".htm", ".xhtml"}:
        text, facts = _of_page(runtime, data, name=name)
        return _compared(who, runtime, text, name, facts)
    content = read_content(data, Path(Path(name).name), DEFAULT_RULES)
    return _compared(who, runtime, content.text, name, Facts())


def check_address(who: Identity, runtime: Runtime, url: str) -> Comparison:
    """Return what the page at an address has from protected works; inner addresses are not asked for.

    Raises:
        NotPermitted, TextTooLong, NothingToCompareWith, Busy, IndexUnusable, ServiceDown: see
            :func:`check_text`.
        NotAnAddress, CannotFetch, NoTextThere: there is no page, or none with a text.
    """
    who.require("check:run")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        is_address = False
    if not is_address:
        raise NotAnAddress(url=url[:200])
    fetched = fetch(url)
    text, facts = _of_page(
        runtime,
        fetched.body,
        name=fetched.url,
        url=fetched.url,
        declared=fetched.declared,
        sheets=fetched.sheets,
    )
    return _compared(who, runtime, text, url, facts)


def _of_page(
    runtime: Runtime,
    data: bytes,
    *,
    name: str,
    url: str = "",
    declared: str | None = None,
    sheets: tuple[tuple[str, str], ...] = (),
) -> tuple[str, Facts]:
    """Return the text of a page, read in a bounded process, and what is known of it."""
    question = PageQuestion(data, url, declared, replace(NOTHING, sheets=sheets))
    with closing(Reader(max_megabytes=runtime.settings.crawler.reader_megabytes)) as reader:
        try:
            page = reader.ask(question)[0]
        except CannotRead as error:
            raise NoTextThere(url=name, page_kind=error.reason) from error
    if page.kind not in _COMPARED:
        raise NoTextThere(url=name, page_kind=page.kind)
    bylines = tuple(byline for byline in (page.title, page.author, page.site_name) if byline)
    host, site = (host_of(url), site_of(url)) if url else ("", "")
    facts = Facts(host=host, site=site, bylines=bylines, published=page.published)
    return clean_text(page.text.encode("utf-8", "replace"), name), facts


def _compared(who: Identity, runtime: Runtime, text: str, name: str, facts: Facts) -> Comparison:
    if len(text) > MAX_CHARS:
        raise TextTooLong(chars=len(text), most=MAX_CHARS)
    if not runtime.stores.works.count_owned("indexed"):
        raise NothingToCompareWith
    if not _turn.acquire(timeout=_TURN_S):
        raise Busy(seconds=int(_TURN_S))
    try:
        found = compare(compared_text(text, name), runtime.corpus(), facts=facts)
    finally:
        _turn.release()
    return found if who.sees_everything else _own(who, found)


def _own(who: Identity, found: Comparison) -> Comparison:
    """Return a comparison without what it says of others' works."""
    own = tuple(match for match in found.matches if who.may_see(match.work.holder or ""))
    counted = [match for match in own if match.verdict != "common"]
    spans = ((span.page_start, span.page_end) for match in counted for span in match.spans)
    copied = union_length(spans)
    return replace(
        found,
        matches=tuple(map(_undecided, own)),
        verdict=gravest(match.verdict for match in own),
        copied_chars=copied,
        coverage=round(copied / found.chars, 4) if found.chars else 0.0,
        background=(),
        taking_part=frozenset(),
    )


def _undecided(match: PassageMatch) -> PassageMatch:
    """Return a match without what analysts decided about stretches, and why."""
    return replace(match, reviewed=UNDECIDED)
