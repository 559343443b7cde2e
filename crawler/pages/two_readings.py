"""Joins two readings of a page, one with a browser and one without. Pure.

The better reading stays unchanged, and text that only the other one has is added to the rest. A site may show
more to a browser, or less.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from crawler.pages.added_rest import add_rest, with_added
from crawler.pages.outcomes import Text
from storage.records import AddedSnapshot, Page, RestPiece, RestReason, UnreadReason

# Unread reasons that a browser resolves.
ANSWERED: frozenset[UnreadReason] = frozenset({"scripts", "frames", "order"})
Role = Literal["plain", "browser"]
_REASONS: dict[Role, RestReason] = {"plain": "markup", "browser": "script"}
_GRAM = 5  # number of Han characters in a compared group
_MIN_PIECE = 10  # minimum Han characters of an added piece


def join_readings(plain: Text, rendered: Text, *, max_rest_chars: int) -> Text:
    """Return a page with the text of both readings.

    Args:
        plain: without a browser.
        rendered: with a browser.
        max_rest_chars: limit of the rest; characters beyond it are counted as unread.
    """
    # the site refused the browser, or returned an empty page
    if plain.is_article and not rendered.is_article:
        page = add_missing(plain.record.page, rendered.record.page, "browser", max_rest_chars=max_rest_chars)
        joined = _merge_page(plain, page)
        return _with_responses_of(joined, rendered, _unread_of(joined.record.page, rendered.record.page))
    page = add_missing(rendered.record.page, plain.record.page, "plain", max_rest_chars=max_rest_chars)
    joined = _merge_page(rendered, page)
    joined = replace(joined, requested_url=plain.requested_url, extraction_version=plain.extraction_version)
    return _with_responses_of(joined, plain, joined.record.page.unread)


def add_missing(page: Page, other: Page, role: Role, *, max_rest_chars: int) -> Page:
    """Return a page with the missing lines of another reading in its rest.

    Args:
        page: the better reading.
        other: the other reading; if it has such lines, its snapshots are added.
        role: whether the other reading used a browser.
        max_rest_chars: limit of the rest; characters beyond it are counted as unread.
    """
    grams = _letter_groups(f"{page.text}\n{page.rest}")
    lines = _lines_of(other, _REASONS[role])
    missing = [(text, piece) for text, piece in lines if _count_unknown_letters(text, grams) >= _MIN_PIECE]
    if not missing:
        return page
    added = [AddedSnapshot(sha256=sha256, role=role) for sha256 in other.text_snapshots]
    return with_added(add_rest(page, missing, max_chars=max_rest_chars), [*added, *other.added_snapshots])


def missing_chars(page: Page, other: Page) -> int:
    """Return how many Han characters of a page are missing in another reading."""
    grams = _letter_groups(f"{other.text}\n{other.rest}")
    return sum(_count_unknown_letters(line, grams) for line in f"{page.text}\n{page.rest}".split("\n"))


def with_unread(outcome: Text, reason: UnreadReason, number: int) -> Text:
    """Return a page with a higher unread count."""
    unread = {**outcome.record.page.unread}
    unread[reason] = unread.get(reason, 0) + number
    return _merge_page(outcome, replace(outcome.record.page, unread=unread))


def _unread_of(plain: Page, rendered: Page) -> dict[UnreadReason, int]:
    """Return the unread counts of a page whose article comes from the plain reading."""
    kept = {reason: number for reason, number in plain.unread.items() if reason not in ANSWERED}
    browser_counts = {reason: number for reason, number in rendered.unread.items() if reason in ANSWERED}
    return {**kept, **browser_counts}


def _lines_of(page: Page, reason: RestReason) -> Iterator[tuple[str, RestPiece]]:
    """Yield the lines of the article and the pieces of the rest."""
    for line in page.text.split("\n"):
        yield line, RestPiece(start=0, end=len(line), reason=reason)
    for piece in page.rest_pieces:
        yield page.rest[piece.start : piece.end], piece


def _with_responses_of(outcome: Text, other: Text, unread: dict[UnreadReason, int]) -> Text:
    """Return a page with the responses of another reading as evidence."""
    record = outcome.record
    snapshots = (*record.snapshots, *other.record.snapshots)
    joined = replace(outcome, attached=(*outcome.attached, *other.fetched, *other.attached))
    return _merge_page(
        replace(joined, record=replace(record, snapshots=snapshots)),
        # "Not modified" does not apply to content that scripts load.
        replace(record.page, unread=unread, etag=None, last_modified=None),
    )


def _merge_page(outcome: Text, page: Page) -> Text:
    return replace(outcome, record=replace(outcome.record, page=page))


def _han_characters(text: str) -> str:
    return "".join(letter for letter in text if "\u3400" <= letter <= "\u9fff" or letter >= "\U00020000")


def _letter_groups(text: str) -> set[str]:
    letters = _han_characters(text)
    return {letters[at : at + _GRAM] for at in range(len(letters) - _GRAM + 1)}


def _count_unknown_letters(line: str, grams: set[str]) -> int:
    """Return how many letters of a line are in no known group."""
    letters = _han_characters(line)
    missing = [letters[at : at + _GRAM] not in grams for at in range(len(letters) - _GRAM + 1)]
    return len(letters) if missing and all(missing) else sum(missing)
