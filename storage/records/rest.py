"""The rest of a page: its text outside the article, and the parts that could not be read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

# The text of a page in which a match is: the article or the rest.
MatchPart = Literal["article", "rest"]
MATCH_PARTS: tuple[MatchPart, ...] = get_args(MatchPart)

# Why a piece of text is not in the article.
RestReason = Literal[
    "hidden",  # a style hides it, as far as can be judged without a browser
    "outside",  # it is outside the article's block
    "repeated",  # the site prints it on many pages
    "slogan",  # it is a slogan, an advert or a counter of readers
    "comment",  # it is a reader's comment, or a quote or signature in a thread
    "silent",  # it is in an element that extraction does not read: button, option, svg, template …
    "attribute",  # it is in an attribute that a browser may show: alt, title, value, placeholder, data-…
    "style",  # it is in the property ``content`` of a style sheet
    "script",  # it is in a string of a script or of JSON
    "frame",  # it is in a document inside the page: srcdoc, a data: address, a frame
    "markup",  # it is in markup that browsers and our parser read differently: comments, CDATA, broken tags
    "replaced",  # it is visible on the page, while the article comes from the page's data
]
REST_REASONS: tuple[RestReason, ...] = get_args(RestReason)

# Why text that a reader may see was not compared.
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
UNREAD_REASONS: tuple[UnreadReason, ...] = get_args(UnreadReason)
UnreadUnit = Literal["characters", "count"]

UNREAD_UNITS: Mapping[UnreadReason, UnreadUnit] = {
    "frames": "count",  # number of frames that were not fetched
    "scripts": "count",  # number of scripts that write or load text, on a page that no browser rendered
    "images": "count",  # number of images on a page that has little else
    "order": "characters",  # characters that a style may show in another order
    "font": "characters",  # characters for which a font may show other characters
    "encoding": "characters",  # characters from bytes that fit no known encoding
    "limit": "characters",  # characters beyond a size limit
    "blocked": "count",  # the page requires a login, a payment or a captcha
    "incomplete": "count",  # the text is cut off, or a part could not be fetched
    "failed": "count",  # number of reading steps that failed
}

MAX_REST_PIECES = 2_000  # of a page; further pieces are joined to the last one
MAX_PLACE_CHARS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPiece:
    """A piece of a page's rest: ``rest[start:end]``.

    Attributes:
        reason: why the piece is not in the article.
        place: its path of elements, such as ``body > div.a``; empty: none.
    """

    start: int
    end: int
    reason: RestReason
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFigures:
    """Figures of the pages that were compared, but not fully.

    Attributes:
        pages: number of pages.
        amounts: reason → sum over these pages, see :data:`UNREAD_UNITS` for the units.
    """

    pages: int = 0
    amounts: dict[UnreadReason, int] = field(default_factory=dict)

    def __add__(self, other: "UnreadFigures") -> "UnreadFigures":
        """Return the sum of two figures."""
        return UnreadFigures(
            pages=self.pages + other.pages,
            amounts=_nonzero_in_order(Counter(self.amounts) + Counter(other.amounts)),
        )


def unread_figures(pages: Iterable[Mapping[UnreadReason, int]]) -> UnreadFigures:
    """Return the number of compared pages with unread parts, and the sums of these parts.

    Args:
        pages: the unread parts of each page; empty for a fully read page.
    """
    count, amounts = 0, Counter[UnreadReason]()
    for unread in pages:
        count += bool(unread)
        amounts.update(unread)
    return UnreadFigures(pages=count, amounts=_nonzero_in_order(amounts))


def _nonzero_in_order(amounts: Mapping[UnreadReason, int]) -> dict[UnreadReason, int]:
    """Return the amounts above zero, in the order of the reasons."""
    return {reason: amounts[reason] for reason in UNREAD_UNITS if amounts.get(reason)}


def fitted_rest(
    rest: str, pieces: Sequence[RestPiece], unread: Mapping[UnreadReason, int], *, room: int
) -> tuple[str, tuple[RestPiece, ...], dict[UnreadReason, int]]:
    """Cut rest, pieces and unread parts to the size limit of a document. Idempotent.

    Args:
        rest: of a page.
        pieces: pieces of the rest, in order.
        unread: the unread parts of the page; the cut text is added.
        room: maximum characters of the rest.
    """
    kept = rest[: max(0, room)]
    amounts = Counter(unread)
    amounts["limit"] += len(rest) - len(kept)
    inside = [
        replace(piece, end=min(piece.end, len(kept)), place=piece.place[:MAX_PLACE_CHARS])
        for piece in pieces
        if piece.start < len(kept)
    ]
    if len(inside) > MAX_REST_PIECES:
        last = replace(inside[MAX_REST_PIECES - 1], end=inside[-1].end)
        inside = [*inside[: MAX_REST_PIECES - 1], last]
    return kept, tuple(inside), _nonzero_in_order(amounts)
