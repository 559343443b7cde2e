"""The rest of a page: its text outside the article, and what of it could not be read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

# Which of a page's two texts a match was found in.
MatchPart = Literal["article", "rest"]
MATCH_PARTS: tuple[MatchPart, ...] = get_args(MatchPart)

# Why a piece of text is not in the article.
RestReason = Literal[
    "hidden",  # a style hides it, as far as can be judged without a browser
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
REST_REASONS: tuple[RestReason, ...] = get_args(RestReason)

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
UNREAD_REASONS: tuple[UnreadReason, ...] = get_args(UnreadReason)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFigures:
    """Compared pages that were not fully compared, and what of them was not.

    Attributes:
        pages: how many there are.
        amounts: reason → sum over these pages, see :data:`UNREAD_UNITS` for the units.
    """

    pages: int = 0
    amounts: dict[UnreadReason, int] = field(default_factory=dict)

    def __add__(self, other: "UnreadFigures") -> "UnreadFigures":
        """Return both together."""
        return UnreadFigures(
            pages=self.pages + other.pages,
            amounts=_in_order(Counter(self.amounts) + Counter(other.amounts)),
        )


def unread_figures(pages: Iterable[Mapping[UnreadReason, int]]) -> UnreadFigures:
    """Return how many of some compared pages have something unread, and the sums of it.

    Args:
        pages: what is unread of each; empty of a page that was read wholly.
    """
    count, amounts = 0, Counter[UnreadReason]()
    for unread in pages:
        count += bool(unread)
        amounts.update(unread)
    return UnreadFigures(pages=count, amounts=_in_order(amounts))


def _in_order(amounts: Mapping[UnreadReason, int]) -> dict[UnreadReason, int]:
    """Return amounts in the order of the reasons, without those that are nothing."""
    return {reason: amounts[reason] for reason in UNREAD_UNITS if amounts.get(reason)}


def fitted_rest(
    rest: str, pieces: Sequence[RestPiece], unread: Mapping[UnreadReason, int], *, room: int
) -> tuple[str, tuple[RestPiece, ...], dict[UnreadReason, int]]:
    """Return rest, pieces and what is unread as a document can contain them; a second call changes nothing.

    Args:
        rest: of a page.
        pieces: of the rest, in order.
        unread: what of the page could not be read; what is cut off here is added.
        room: characters that the rest may have.
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
    return kept, tuple(inside), _in_order(amounts)
