"""Matches of pages with passages, and what people decided about them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from fingerprint.text.disguises import Disguise
from storage.records.decisions import MatchDecision, decisive
from storage.records.posts import Post
from storage.records.precedence import Precedence
from storage.records.rest import MatchPart, RestPiece
from storage.records.times import ClaimedDate, utc_now
from storage.records.verdicts import Verdict

# What a licence makes of a match; empty where the site has none for the work.
LicenceState = Literal["", "licensed", "not-begun", "expired", "no-attribution", "beyond-licence"]
LICENCE_STATES: tuple[LicenceState, ...] = get_args(LicenceState)

# How alike two characters sound: wholly, but for the tone, or but for what speakers confuse (z and zh).
HomophoneKind = Literal["same-tone", "other-tone", "near"]

# Empty: open. ``doubtful``: set aside with a note.
ReviewState = Literal["", "confirmed", "dismissed", "doubtful"]
REVIEW_STATES: tuple[ReviewState, ...] = get_args(ReviewState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One aligned stretch: ``page[page_start:page_end]`` and ``passage[passage_start:passage_end]``.

    ``char_identity`` compares characters with traditional, old and interchangeable forms taken as one;
    ``sound_identity`` compares syllables, near ones taken as one. They differ where homophones were swapped
    in. ``backwards``: the page has it from its end to its start.
    """

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: tuple[Disguise, ...] = ()
    backwards: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Homophone:
    """A character of the page that stands for one of the passage that sounds the same or nearly so.

    Attributes:
        page, passage: where the two first stand against each other: offsets of the two characters.
        character, original: the page's character and the passage's.
        syllable, original_syllable: how they are read, with tone marks: 清 qīng for 青 qīng.
        kind: how alike that sounds.
        times: how often the one stands for the other in the match.
    """

    page: int
    passage: int
    character: str
    original: str
    syllable: str
    original_syllable: str
    kind: HomophoneKind
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedSpan:
    """A span that dismissals cover: it is shown with the reason and not counted."""

    span: Span
    dismissal_id: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A verified candidate: one page against one passage under one profile.

    ``coverage`` is the share of the page's characters that the spans cover, ``passage_coverage`` the share
    of the passage's.

    Attributes:
        part: the text of the page that offsets count in, see :meth:`storage.records.Page.text_of`.
        found_in: of a match in the rest, the pieces that its stretches are in.
        spans: the stretches that count.
        homophones: pairs of characters that make it a copy disguised by homophones, a few of them.
        common: stretches that several unrelated works share, listed and not counted.
        suppressed: stretches that were dismissed, not counted either.
        posts: of a thread, those that hold most of what was copied, a few of them, in page order.
        page_chars: characters of the page.
        copied_chars: characters copied; what the page repeats, or puts between them, adds nothing.
        taken_chars: characters of the passage that are on the page.
        page_background, passage_background: characters of page and passage, beside what is copied, that the
            passage has from background texts; it was judged without them.
        licence: what a licence of the site makes of it.
        work_id: the book, see :attr:`storage.records.Work.book_id`.
        edition: the title of the edition that the passage is from, where it does not stand for the book.
        work_published, page_published: the dates that work and page bear, and nothing else.
        page_older: the page was there before the work, so the copying may have gone the other way.
        page_older_by: what shows that; empty where nothing does, and in matches from before it was stored.
        review: what follows from the decisions: all that counts is ``confirmed``, all is ``dismissed``, or
            something is open.
        because: the reasons of the decisions that it follows from.
        reviewed: when the last of these was made.
        decided: the decisions that bear on its stretches, by place.
        undecided: stretches of the passage that no decision covers; none of a match that is not open.
        number: its short name: the ``12`` of ``m12``; 0 until it is stored.
        first_seen, last_seen: our own first and last sight of the page.
        replaced: since when its page's version is history, and the match with it; None while it counts.
        joined: its case has an event of it, or needs none: it was stored before there were events, or is
            another version of what the case has.
    """

    id: str
    page_id: str
    passage_id: int
    work_id: int
    profile: str
    site: str
    url: str
    page_title: str
    work_title: str
    passage_title: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    spans: tuple[Span, ...]
    disguises: tuple[Disguise, ...] = ()
    part: MatchPart = "article"
    found_in: tuple[RestPiece, ...] = ()
    edition: str = ""
    low_confidence: bool = False
    anchors: dict[str, int] = field(default_factory=dict)
    homophones: tuple[Homophone, ...] = ()
    common: tuple[Span, ...] = ()
    suppressed: tuple[SuppressedSpan, ...] = ()
    posts: tuple[Post, ...] = ()
    page_chars: int = 0
    taken_chars: int = 0
    page_background: int = 0
    passage_background: int = 0
    licence: LicenceState = ""
    work_published: ClaimedDate | None = None
    page_published: ClaimedDate | None = None
    page_older: bool = False
    page_older_by: Precedence = ""
    review: ReviewState = ""
    because: str = ""
    reviewed: datetime | None = None
    decided: tuple[MatchDecision, ...] = ()
    undecided: tuple[tuple[int, int], ...] = ()
    number: int = 0
    scan_id: str = ""
    first_seen: datetime = field(default_factory=utc_now)
    last_seen: datetime = field(default_factory=utc_now)
    replaced: datetime | None = None
    joined: bool = False

    @property
    def name(self) -> str:
        """The name that people type: ``m12``; the id of a match that has no number."""
        return f"m{self.number}" if self.number else self.id

    @property
    def decided_by(self) -> tuple[str, ...]:
        """Who made the decisions that the review follows from, as far as they gave their names."""
        decisions = decisive(self.decided, self.review)
        return tuple(dict.fromkeys(decided.by for decided in decisions if decided.by))

    @property
    def inherited(self) -> MatchDecision | None:
        """The decision that the review follows from, if every such one was made about another page.

        Another version of the same page, with an ``id`` of its own, is another page too.
        """
        decisions = decisive(self.decided, self.review)
        if any(decided.page_id == self.page_id for decided in decisions):
            return None
        from_elsewhere = (decided for decided in decisions if decided.page_id or decided.url != self.url)
        return max(from_elsewhere, key=lambda decided: decided.made, default=None)
