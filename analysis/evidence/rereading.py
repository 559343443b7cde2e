"""Reading a page once more from the bodies that it was read from, with what was known of its site. Pure.

Everything that had a say in a page's text is a :class:`ReadingInputs`: the same inputs and bodies give the
same text. Pages are parsed by a reader (:mod:`crawler.readers.pool`), within its bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from crawler.exchange import SHOWN_TYPE
from crawler.extraction import EXTRACTION_VERSION, Extracted, PageContext
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
        url: that it came from.
        sha256: of its decoded body, or of the DOM that a browser made of it.
        declared: charset that was declared for it; None without one.
        is_rendered: a browser made the body.
        sheets: address and rules of the style sheets that it links to.
        content_type: that was declared for it, without parameters.
        role: what it is of the page: a part of its text, or what it added to the rest as.
        place: of a frame, as a path of elements.
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
    """A sentence or line that was left out of a text because its site repeats it.

    Attributes:
        hash: by which it is known, see :func:`crawler.extraction.repeats.sentence_hash`.
        text: as it stood where it was learnt; empty where that is no longer known.
        texts: of how many texts of the site's sample it is a part.
    """

    hash: int
    text: str = ""
    texts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntLayout:
    """Where a page's site has its texts, see :class:`crawler.extraction.template.Template`.

    Attributes:
        containers: paths of the elements that hold the texts.
        frame: hashes of sentences that stand outside of them on several pages.
    """

    containers: tuple[str, ...] = ()
    frame: tuple[int, ...] = ()


NO_LAYOUT = LearntLayout()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingInputs:
    """What a page's text follows from, beside the bodies.

    Attributes:
        version: of extraction.
        parts: the responses: those of the text in reading order, then those that only added to the rest.
        rules: of the source, for its pages.
        timezone: of dates that name none.
        learnt: the lines of this page that the site repeats, and that were left out.
        fetched: when the page was fetched, from which dates such as 昨天 are reckoned.
        layout: that the site taught.
        max_rest_chars: of the rest that were kept.
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
    """A page as it was read again.

    Attributes:
        page: with its two texts, title, author and date; its other fields say nothing.
        sentences: hash → sentence of all its text, with the lines that were left out.
    """

    page: Page
    sentences: Mapping[int, str]


def read_again(inputs: ReadingInputs, bodies: Mapping[str, bytes], reader: Reader) -> Reread:
    """Return a page as its bodies read.

    Args:
        inputs: what else had a say.
        bodies: by SHA-256; all that the parts name.
        reader: parses them.

    Raises:
        CannotRead: a body is too much for the reader.
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
    return Reread(_joined(inputs, bodies, extracted), _sentences(extracted))


def _context_of(response: ReadingPart, bodies: Mapping[str, bytes], learnt: PageContext) -> PageContext:
    """Return what is known of one part; bodies of earlier versions of pindna bear no marks of the browser."""
    is_marked = response.is_rendered and SHOWN_TYPE.encode() in bodies[response.sha256]
    return replace(learnt, sheets=response.sheets, content_type=response.content_type, is_rendered=is_marked)


def _joined(inputs: ReadingInputs, bodies: Mapping[str, bytes], extracted: Sequence[Extracted]) -> Page:
    """Return the page that the parts make up, put together as the crawl did."""
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
        page = add_missing(page, _with_frames(other, every, most), "plain", max_rest_chars=most)
    else:
        page = _with_frames(page, every, most)
    if browser:
        other = page_of(browser, source="", scan_id="", max_rest_chars=most).page
        page = add_missing(page, other, "browser", max_rest_chars=most)
    room = MAX_TEXT_CHARS - len(page.text)
    rest, pieces, unread = fitted_rest(page.rest, page.rest_pieces, page.unread, room=room)
    return replace(page, rest=rest, rest_pieces=pieces, unread=unread)


def _with_frames(page: Page, every: Sequence[tuple[ReadingPart, Extracted]], most: int) -> Page:
    """Return a page with the texts of its frames in its rest."""
    for response, extracted in every:
        if response.role == "frame":
            page = add_frame(page, extracted, sha256=response.sha256, path=response.place, max_chars=most)
    return page


def _sentences(extracted: Sequence[Extracted]) -> dict[int, str]:
    return {digest: text for article in extracted for digest, text in hash_sentences(article.whole).items()}


def reading_differences(page: Page, again: Page) -> list[str]:
    """Return what of a page reads otherwise now: the first line that differs, and the fields that have a say.

    Args:
        page: as it is stored.
        again: as it was read again.
    """
    differences = []
    if page.text != again.text:
        differences.append(_first_difference("text", page.text, again.text))
    if page.rest and page.rest != again.rest:  # earlier versions stored none
        differences.append(_first_difference("rest", page.rest, again.rest))
    elif page.rest and page.rest_pieces != again.rest_pieces:
        differences.append(f"rest_pieces: {len(page.rest_pieces)} → {len(again.rest_pieces)}")
    for name in ("title", "author", "published"):
        before, now = getattr(page, name), getattr(again, name)
        if before != now:
            differences.append(f"{name}: {_quoted(before)} → {_quoted(now)}")
    return differences


def _first_difference(name: str, before: str, now: str) -> str:
    old, new = before.split("\n"), now.split("\n")
    number = next((n for n, (line, other) in enumerate(zip(old, new, strict=False)) if line != other), None)
    if number is None:
        number = min(len(old), len(new))
    return f"{name}:{number + 1}: {_line(old, number)} → {_line(new, number)}"


def _line(lines: Sequence[str], number: int) -> str:
    return _quoted(lines[number]) if number < len(lines) else "–"


def _quoted(value: object) -> str:
    text = " ".join(str(value).split())
    return f"“{text[:60]}{'…' if len(text) > 60 else ''}”"  # noqa: PLR2004 - characters on a line
