"""The result of extraction in a form that can be stored: bounded, without control characters. Pure."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from crawler.extraction.template import PageForm
from storage.records import MAX_TEXT_CHARS, ClaimedDate, PageKind, Post, RestPiece, UnreadReason

MAX_TITLE_CHARS = 500
MAX_NAME_CHARS = 200  # maximum characters of the name of an author or a site
TOO_LONG = "too_long"  # the reason why characters beyond MAX_TEXT_CHARS are missing
_UNSTORABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """The text and fields of a page.

    Attributes:
        kind: ``unreadable`` if the page has no text because reading it failed.
        published: the date that the page states.
        text: paragraphs separated by one newline.
        confidence: agreement of the extractors, in [0, 1].
        next_page: address of the next page of this text.
        next_chapter: address of the next chapter.
        chapter: number of the chapter in its title; None without one.
        chapter_title: name of the chapter, without its number.
        dropped: reason → number of characters that were left out.
        whole: the text including the sentences that were left out because the site repeats them. The site's
            sentences are learnt from it. It shows whether a page changed only in these sentences.
        posts: posts of a thread, in reading order.
        form: layout of the page, from which its site's template is learnt.
        rest: the page's other Chinese text, a line for each piece; see :mod:`storage.records.rest`.
        rest_pieces: origin of each piece of the rest, in order.
        unread: what could not be read: reason → number of characters, or of frames, scripts, images.
        failed_steps: names of the failed steps; their results are missing, the text is not.
    """

    kind: PageKind
    encoding: str
    title: str = ""
    author: str | None = None
    published: ClaimedDate | None = None
    site_name: str | None = None
    text: str = ""
    confidence: float = 0.0
    next_page: str | None = None
    next_chapter: str | None = None
    chapter: int | None = None
    chapter_title: str | None = None
    dropped: dict[str, int] = field(default_factory=dict)
    whole: str = ""
    posts: tuple[Post, ...] = ()
    form: PageForm | None = None
    rest: str = ""
    rest_pieces: tuple[RestPiece, ...] = ()
    unread: dict[UnreadReason, int] = field(default_factory=dict)
    failed_steps: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields in order, as ``pindna extract --json`` prints them."""
        internal = {"whole", "posts", "form"}
        fields = {name: value for name, value in asdict(self).items() if name not in internal}
        posts = [self._post_dict(post) for post in self.posts]
        failed = list(self.failed_steps)
        return {**fields, "published": _iso(self.published), "posts": posts, "failed_steps": failed}

    def _post_dict(self, post: Post) -> dict[str, Any]:
        return {
            "place": post.place,
            "author": post.author,
            "published": _iso(post.published),
            "text": self.text[post.start : post.end],
            "quotes": list(post.quotes),
            "signature": post.signature,
        }


def _iso(date: ClaimedDate | None) -> str | None:
    return date.iso() if date else None


def storable_text(text: str) -> str:
    """Return a text without lone surrogates and control characters, except line feeds."""
    return _UNSTORABLE.sub("", text) if _UNSTORABLE.search(text) else text


def field_text(text: str, *, max_chars: int) -> str:
    """Return a text for a field: in one line, storable, of at most ``max_chars`` characters."""
    return " ".join(storable_text(" ".join(text.split())).split())[:max_chars].rstrip()


def storable_result(result: ExtractedPage) -> ExtractedPage:
    """Return a result with storable texts of at most ``MAX_TEXT_CHARS``."""
    text, whole = storable_text(result.text), storable_text(result.whole)
    if len(whole) <= MAX_TEXT_CHARS:
        return replace(result, text=text, whole=whole)
    dropped = {**result.dropped, TOO_LONG: len(whole) - MAX_TEXT_CHARS}
    text, whole = text[:MAX_TEXT_CHARS], whole[:MAX_TEXT_CHARS]
    return replace(
        result, text=text, whole=whole, posts=posts_within(result.posts, len(text)), dropped=dropped
    )


def posts_within(posts: Sequence[Post], end: int) -> tuple[Post, ...]:
    """Return the posts of a text that is cut at ``end``."""
    return tuple(replace(post, end=min(post.end, end)) for post in posts if post.start < end)
