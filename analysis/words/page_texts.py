"""Descriptions of the two texts of a page: positions of matches, and content that could not be compared.

Every output uses these functions: commands, reports, the console, the API's descriptions and messages.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from analysis.words.i18n import N_, Translator
from analysis.words.labels.pages import REST_REASONS
from storage.records import UNREAD_UNITS, MatchPart, RestPiece, UnreadReason, Verdict, meaning_of

MAX_PLACES = 3  # maximum number of places in a line

# Shown with a match outside the article, because a person must check the page.
CHECK_BY_EYE = N_("Check the page before you decide: readers may not see this text.")
# Shown with a match that retells a passage.
REWORDED = N_(
    "The page has the same content in other words. It is not counted as a copy; a person must judge it."
)
# Shown with a match of a work whose text is charged to another work.
ALSO_CONTAINED = N_(
    "Also contained: the page has {share:.0%} of this passage. The text counts for another work, which fits "
    "the page better."
)
# Shown with a page whose verdict depends on a match outside the article.
DOUBTFUL = N_("The verdict rests on text outside the article. A person must check it.")


def rest_line(chars: int, texts: Translator) -> str:
    """Return a line with the amount of compared text outside the article; empty if there is none."""
    line = texts.ngettext(
        "{chars} character outside the article was compared too.",
        "{chars} characters outside the article were compared too.",
        chars,
    )
    return line.format(chars=f"{chars:,}") if chars else ""


def unread_amounts(unread: Mapping[UnreadReason, int], texts: Translator) -> str:
    """Return how much could not be compared: ``3 frames and 5,200 characters``; empty for nothing.

    Args:
        unread: reason → characters or number.
        texts: the language.
    """
    amounts = [
        _amount(reason, unread[reason], texts)
        for reason, unit in UNREAD_UNITS.items()
        if unit == "count" and unread.get(reason)
    ]
    chars = sum(number for reason, number in unread.items() if UNREAD_UNITS[reason] == "characters")
    if chars:
        amounts.append(
            texts.ngettext("{count} character", "{count} characters", chars).format(count=f"{chars:,}")
        )
    return _enumerated(amounts, texts)


def unread_line(unread: Mapping[UnreadReason, int], texts: Translator) -> str:
    """Return ``3 frames and 5,200 characters could not be compared.``; empty for nothing.

    Args:
        unread: reason → characters or number.
        texts: the language.
    """
    amounts = unread_amounts(unread, texts)
    return texts.gettext("{amounts} could not be compared.").format(amounts=amounts) if amounts else ""


class Placed(Protocol):
    """A match, stored or new."""

    @property
    def part(self) -> MatchPart:
        """The text of the page that contains the match."""

    @property
    def found_in(self) -> tuple[RestPiece, ...]:
        """The pieces of the rest that contain the stretches of the match."""


class Noted(Placed, Protocol):
    """A match with its verdict."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the match."""

    @property
    def passage_coverage(self) -> float:
        """Share of the passage that is on the page."""

    @property
    def also_contained(self) -> bool:
        """Whether another work is charged with the text."""


def place_line(match: Placed, texts: Translator) -> str:
    """Return the places of a match outside the article, a few at most, each with reason and element.

    Args:
        match: one in the article has no line.
        texts: the language.
    """
    if match.part == "article":
        return ""
    places = list(dict.fromkeys(_place(piece, texts) for piece in match.found_in))
    if not places:
        return texts.gettext("Outside the article")
    more = len(places) - MAX_PLACES
    line = texts.gettext("Outside the article: {places}").format(
        places=texts.gettext("; ").join(places[:MAX_PLACES])
    )
    if more > 0:
        line += " " + texts.ngettext("and {count} more place", "and {count} more places", more).format(
            count=more
        )
    return line


def piece_line(piece: RestPiece, texts: Translator) -> str:
    """Return why a piece is not in the article, and its element."""
    return texts.gettext("Outside the article: {places}").format(places=_place(piece, texts))


def place_notes(match: Placed, texts: Translator) -> list[str]:
    """Return notes on a match outside the article: its places, and the request to check it."""
    if match.part == "article":
        return []
    return [place_line(match, texts), texts.gettext(CHECK_BY_EYE)]


def match_notes(match: Noted, texts: Translator) -> list[str]:
    """Return notes on a match: its place, whether it is a retelling, whether another work is charged."""
    notes = place_notes(match, texts)
    if not meaning_of(match.verdict).is_verbatim:
        notes.append(texts.gettext(REWORDED))
    if match.also_contained:
        notes.append(texts.gettext(ALSO_CONTAINED).format(share=match.passage_coverage))
    return notes


def pieces_as_objects(pieces: Iterable[RestPiece]) -> list[dict[str, object]]:
    """Return pieces of the rest as ``--json`` prints them; offsets refer to the rest."""
    return [
        {"start": piece.start, "end": piece.end, "reason": piece.reason, "place": piece.place}
        for piece in pieces
    ]


def _place(piece: RestPiece, texts: Translator) -> str:
    reason = texts.gettext(REST_REASONS[piece.reason])
    if not piece.place:
        return reason
    return texts.gettext("{reason}, {place}").format(reason=reason, place=piece.place)


def _enumerated(amounts: Sequence[str], texts: Translator) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    if len(amounts) < 2:  # noqa: PLR2004 - a pair
        return "".join(amounts)
    first = texts.gettext(", ").join(amounts[:-1])
    return texts.gettext("{first} and {last}").format(first=first, last=amounts[-1])


def _amount(reason: UnreadReason, number: int, texts: Translator) -> str:
    """Return a number of frames, scripts and so on in words; not for reasons that count characters."""
    lines: Mapping[UnreadReason, str] = {
        "frames": texts.ngettext("{count} frame", "{count} frames", number),
        "scripts": texts.ngettext("{count} script", "{count} scripts", number),
        "images": texts.ngettext("{count} image", "{count} images", number),
        "blocked": texts.ngettext(
            "{count} text behind a login, a payment or a captcha",
            "{count} texts behind a login, a payment or a captcha",
            number,
        ),
        "incomplete": texts.ngettext(
            "{count} missing part of a text", "{count} missing parts of texts", number
        ),
        "failed": texts.ngettext(
            "{count} part that could not be read", "{count} parts that could not be read", number
        ),
    }
    return lines[reason].format(count=f"{number:,}")
