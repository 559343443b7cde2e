"""The rest of a page: its text outside the article, and what of it could not be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# Which of a page's two texts a match was found in.
MatchPart = Literal["article", "rest"]

# Why a piece of text is not in the article.
RestReason = Literal[
    "hidden",  # a style hides it, as far as can be told without a browser
    "outside",  # outside the article's block
    "repeated",  # the site prints it on many pages
    "slogan",  # a slogan or an advert, a readers' counter
    "comment",  # a reader's comment, a quote or a signature in a thread
    "silent",  # in an element whose content extraction does not read: button, option, svg, template …
    "attribute",  # in an attribute that a browser may show: alt, title, value, placeholder, data-…
    "style",  # in the ``content`` of a style sheet
    "script",  # in a string of a script or of JSON
    "frame",  # in a document inside the page: srcdoc, a data: address, a frame
    "markup",  # in markup that browsers and our parser read differently: comments, CDATA, broken tags
    "replaced",  # the page shows it, and a text from the page's data is the article
]

REST_REASONS: tuple[RestReason, ...] = (
    "hidden",
    "outside",
    "repeated",
    "slogan",
    "comment",
    "silent",
    "attribute",
    "style",
    "script",
    "frame",
    "markup",
    "replaced",
)

# Why something that a reader may see was not compared.
UnreadReason = Literal[
    "frames",
    "scripts",
    "images",
    "order",
    "font",
    "encoding",
    "limit",
    "blocked",
    "incomplete",
    "failed",
]
UnreadUnit = Literal["characters", "count"]

UNREAD_UNITS: Mapping[UnreadReason, UnreadUnit] = {
    "frames": "count",  # frames that were not fetched
    "scripts": "count",  # scripts that write or load text, on a page that no browser showed
    "images": "count",  # images on a page that has little else
    "order": "characters",  # a style may show them in another order
    "font": "characters",  # a font may show other characters
    "encoding": "characters",  # bytes that no known encoding explains
    "limit": "characters",  # beyond a limit of size
    "blocked": "count",  # the page wants a login, a payment or a captcha
    "incomplete": "count",  # the text ends before its end, or a part of it could not be fetched
    "failed": "count",  # steps of reading that failed
}

MAX_REST_PIECES = 2_000  # of a page; further ones are joined with the last
MAX_PLACE_CHARS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPiece:
    """A piece of a page's rest: ``rest[start:end]``.

    Attributes:
        reason: why it is not in the article.
        place: where it is on the page, as a path of elements: ``body > div.a``; empty where there is none.
    """

    start: int
    end: int
    reason: RestReason
    place: str = ""
