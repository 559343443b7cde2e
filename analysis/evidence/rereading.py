"""Read a page again from its bodies and the recorded knowledge about its site. Pure.

:class:`ReadingInputs` contains all inputs of a page's text: equal inputs and bodies give the same text. A
reader (:mod:`crawler.readers.pool`) parses the pages, within its limits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from crawler.exchange import SHOWN_TYPE
from crawler.extraction import EXTRACTION_VERSION, ExtractedPage, PageContext
from crawler.extraction.repeats import hash_sentences
from crawler.extraction.template import Template
from crawler.pages.added_rest import add_frame
from crawler.pages.page_records import PagePart, page_of, snapshot_of
from crawler.pages.two_readings import add_missing
from crawler.readers.pool import Reader
from crawler.readers.questions import PageQuestion
from storage.records import MAX_TEXT_CHARS, NO_RULES, AddedRole, Page, SiteRules, fitted_rest

_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPart:
    """One response of a page.

    Attributes:
        url: its address.
        sha256: SHA-256 of the decoded body, or of the DOM that a browser built.
        declared: the declared charset; None if none was declared.
        is_rendered: a browser built the body.
        sheets: address and rules of the linked style sheets.
        content_type: the declared type without parameters.
        role: a part of the text, or the kind of addition to the rest.
        place: position of a frame, as a path of elements.
    """

    url: str
    sha256: str
    declared: str | None = None
    is_rendered: bool = False
    sheets: tuple[tuple[str, str], ...] = ()
    content_type: str = ""
    role: Literal["text"] | AddedRole = "text"
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntLine:
    """A sentence or line that is left out of a text because its site repeats it.

    Attributes:
        hash: its hash, see :func:`crawler.extraction.repeats.sentence_hash`.
        text: the text where it was learnt; empty if no longer known.
        texts: number of texts in the site's sample that contain it.
    """

    hash: int
    text: str = ""
    texts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntLayout:
    """The position of texts on a site, see :class:`crawler.extraction.template.Template`.

    Attributes:
        containers: paths of the elements that contain the texts.
        frame: hashes of sentences that appear outside of them on several pages.
    """

    containers: tuple[str, ...] = ()
    frame: tuple[int, ...] = ()


NO_LAYOUT = LearntLayout()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingInputs:
    """All inputs of a page's text, apart from the bodies.

    Attributes:
        version: extraction version.
        parts: the responses: first the parts of the text in reading order, then those that only added to
            the rest.
        rules: the source's rules for its pages.
        timezone: zone of dates without one.
        learnt: repeated lines of the site that were left out of this page.
        fetched: when the page was fetched; dates such as 昨天 are relative to it.
        layout: the learnt layout of the site.
        max_rest_chars: limit of the stored rest.
    """

    version: str = EXTRACTION_VERSION
    parts: tuple[ReadingPart, ...] = ()
    rules: SiteRules = NO_RULES
    timezone: str = "+08:00"
    learnt: tuple[LearntLine, ...] = ()
    fetched: datetime | None = None
    layout: LearntLayout = NO_LAYOUT
    max_rest_chars: int = 100_000


@dataclass(frozen=True, slots=True)
class Reread:
    """A page that was read again.

    Attributes:
        page: its two texts, title, author and date are valid; other fields are not.
        sentences: hash → sentence of its whole text, including the lines that were left out.
    """

    page: Page
    sentences: Mapping[int, str]


def read_again(inputs: ReadingInputs, bodies: Mapping[str, bytes], reader: Reader) -> Reread:
    """Return the page that its bodies yield.

    Args:
        inputs: the other inputs.
        bodies: by SHA-256; all bodies of the parts.
        reader: parses them.

    Raises:
        CannotRead: a body exceeds the limits of the reader.
    """
    hashes = frozenset(line.hash for line in inputs.learnt)
    learnt = PageContext(
        inputs.rules,
        hashes,
        timezone=inputs.timezone,
        fetched=inputs.fetched,
        template=Template(frozenset(inputs.layout.containers), frozenset(inputs.layout.frame)),
        max_rest_chars=inputs.max_rest_chars,
    )
    extracted = [
        reader.ask(
            PageQuestion(
                bodies[response.sha256],
                response.url,
                response.declared,
                _context_of(response, bodies, learnt),
            )
        )[0]
        for response in inputs.parts
    ]
    return Reread(_join_parts(inputs, bodies, extracted), _sentences(extracted))


def _context_of(response: ReadingPart, bodies: Mapping[str, bytes], learnt: PageContext) -> PageContext:
    """Return the context of one response. Rendered bodies of earlier versions lack the browser's marks."""
    is_marked = response.is_rendered and SHOWN_TYPE.encode() in bodies[response.sha256]
    return replace(learnt, sheets=response.sheets, content_type=response.content_type, is_rendered=is_marked)


def _join_parts(
    inputs: ReadingInputs, bodies: Mapping[str, bytes], extracted: Sequence[ExtractedPage]
) -> Page:
    """Join the parts to a page, as the crawler does."""
    every = list(zip(inputs.parts, extracted, strict=True))
    most = inputs.max_rest_chars
    text, plain, browser = (
        [
            PagePart(
                snapshot_of(url=response.url, status=_OK, headers=b"", body=bodies[response.sha256]), article
            )
            for response, article in every
            if response.role == role
        ]
        for role in ("text", "plain", "browser")
    )
    page = page_of(text, source="", scan_id="", max_rest_chars=most).page
    if plain:  # frames belong to the reading without a browser
        other = page_of(plain, source="", scan_id="", max_rest_chars=most).page
        page = add_missing(page, _add_frames(other, every, most), "plain", max_rest_chars=most)
    else:
        page = _add_frames(page, every, most)
    if browser:
        other = page_of(browser, source="", scan_id="", max_rest_chars=most).page
        page = add_missing(page, other, "browser", max_rest_chars=most)
    room = MAX_TEXT_CHARS - len(page.text)
    rest, pieces, unread = fitted_rest(page.rest, page.rest_pieces, page.unread, room=room)
    return replace(page, rest=rest, rest_pieces=pieces, unread=unread)


def _add_frames(page: Page, every: Sequence[tuple[ReadingPart, ExtractedPage]], most: int) -> Page:
    """Add the texts of the frames to the rest of a page."""
    for response, extracted in every:
        if response.role == "frame":
            page = add_frame(page, extracted, sha256=response.sha256, path=response.place, max_chars=most)
    return page


def _sentences(extracted: Sequence[ExtractedPage]) -> dict[int, str]:
    return {digest: text for article in extracted for digest, text in hash_sentences(article.whole).items()}


def reading_differences(page: Page, again: Page) -> list[str]:
    """Return the differences of a page that was read again: the first differing line, and relevant fields.

    Args:
        page: the stored page.
        again: the page that was read again.
    """
    differences = []
    if page.text != again.text:
        differences.append(_first_difference("text", page.text, again.text))
    if page.rest and page.rest != again.rest:  # earlier versions stored no rest
        differences.append(_first_difference("rest", page.rest, again.rest))
    elif page.rest and page.rest_pieces != again.rest_pieces:
        differences.append(f"rest_pieces: {len(page.rest_pieces)} → {len(again.rest_pieces)}")
    for name in ("title", "author", "published"):
        before, now = getattr(page, name), getattr(again, name)
        if before != now:
            differences.append(f"{name}: {_quote(before)} → {_quote(now)}")
    return differences


def _first_difference(name: str, before: str, now: str) -> str:
    old, new = before.split("\n"), now.split("\n")
    number = next((n for n, (line, other) in enumerate(zip(old, new, strict=False)) if line != other), None)
    if number is None:
        number = min(len(old), len(new))
    return f"{name}:{number + 1}: {_line_or_empty(old, number)} → {_line_or_empty(new, number)}"


def _line_or_empty(lines: Sequence[str], number: int) -> str:
    return _quote(lines[number]) if number < len(lines) else "–"


def _quote(value: object) -> str:
    text = " ".join(str(value).split())
    return f"“{text[:60]}{'…' if len(text) > 60 else ''}”"  # noqa: PLR2004 - characters on a line
