"""Matches of pages with passages, and the decisions on them."""

from collections.abc import Iterable
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

AMPLE_BITS = 99.0  # bits for each character; used if the information was not measured

# The effect of a licence on a match; empty if the site has no licence for the work.
LicenceState = Literal["", "licensed", "not-begun", "expired", "no-attribution", "beyond-licence"]
LICENCE_STATES: tuple[LicenceState, ...] = get_args(LicenceState)

# How similar two characters sound: the same, the same except for the tone, or similar for many speakers (z
# and zh).
HomophoneKind = Literal["same-tone", "other-tone", "near"]

# Review states. Empty: not decided. ``doubtful``: set aside with a note.
ReviewState = Literal["", "confirmed", "dismissed", "doubtful"]
REVIEW_STATES: tuple[ReviewState, ...] = get_args(ReviewState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One aligned stretch: ``page[page_start:page_end]`` and ``passage[passage_start:passage_end]``.

    ``char_identity`` compares characters; traditional, old and interchangeable forms of a character count as
    equal. ``sound_identity`` compares syllables; similar syllables count as equal. The two differ if the page
    replaces characters by homophones. ``backwards``: the page contains the stretch in reverse order.
    """

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: tuple[Disguise, ...] = ()
    backwards: bool = False


def union_length(stretches: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of half-open stretches."""
    covered, reached = 0, 0
    for start, end in sorted(stretches):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def bits_in_all(bits: float, chars: int) -> int | None:
    """Return the information in characters with ``bits`` each, in bits; None if it was not measured."""
    return round(bits * chars) if bits < AMPLE_BITS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Homophone:
    """A character of the page that replaces a character of the passage with the same or a similar sound.

    Attributes:
        page, passage: offsets of the first such pair of characters.
        character, original: the page's character and the passage's.
        syllable, original_syllable: their readings with tone marks: 清 qīng for 青 qīng.
        kind: how similar they sound.
        times: number of such pairs in the match.
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
    """A span that dismissals cover. Users see it with the reason, but it is not counted."""

    span: Span
    dismissal_id: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match: the verified common text of one page and one passage under one profile.

    ``coverage`` is the share of the page's characters that the spans cover; ``passage_coverage`` is the share
    of the passage's characters.

    Attributes:
        part: the text of the page that offsets count in, see :meth:`storage.records.Page.text_of`.
        found_in: for a match in the rest: the pieces that contain its stretches.
        spans: the stretches that count.
        homophones: examples of the homophones that disguise the copy.
        common: stretches that several unrelated works share; listed, not counted.
        suppressed: dismissed stretches; not counted.
        posts: for a thread: the posts with most of the copied text, in page order.
        page_chars: characters of the page.
        copied_chars: copied characters; repetitions and inserted characters do not count.
        taken_chars: characters of the passage that are on the page.
        page_background, passage_background: further characters of page and passage that come from background
            texts; the verdict ignores them.
        information: bits of information a character of the copied text, the page and the passage, see
            :mod:`tracker.judgement.information`; empty in matches from before it was measured.
        differences: share of agreeing characters, number of characters taken word for word, and 1 for noise
            or 0; see :mod:`tracker.judgement.rewording`. Empty if the match is neither a retelling nor
            noised.
        charged_to: ids of the books that are charged with its text instead of its work; see
            :mod:`tracker.judgement.contained`. Empty if its work is charged.
        licence: the effect of the site's licence.
        work_id: the book, see :attr:`storage.records.Work.book_id`.
        edition: title of the passage's edition, if it is not the main edition of the book.
        work_published, page_published: the dates printed on work and page.
        page_older: the page is older than the work, so the work may be the copy.
        page_older_by: the evidence for that; empty without evidence, and in matches from before it was
            stored.
        review: the result of the decisions: everything that counts is ``confirmed``, everything is
            ``dismissed``, or a part is open.
        because: the reasons of the decisive decisions.
        reviewed: time of the last decisive decision.
        decided: the decisions on its stretches, by position.
        undecided: stretches of the passage without a decision; empty unless the match is open.
        number: its short name: the ``12`` of ``m12``; 0 until it is stored.
        first_seen, last_seen: when pindna first and last saw the page.
        replaced: when a newer version replaced the page and so the match; None while the match counts.
        joined: the case has an event for the match, or needs none: the match is older than events, or another
            version of a match with an event.
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
    information: tuple[float, ...] = ()
    differences: tuple[float, ...] = ()
    charged_to: tuple[int, ...] = ()
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
        """The name that people type, such as ``m12``; a match without a number has its id as name."""
        return f"m{self.number}" if self.number else self.id

    @property
    def also_contained(self) -> bool:
        """Whether the page has most of the work, but other works are charged with the text."""
        return bool(self.charged_to)

    @property
    def information_bits(self) -> int | None:
        """The information in the copied characters, in bits; None if it was not measured."""
        return bits_in_all(self.information[0] if self.information else AMPLE_BITS, self.copied_chars)

    @property
    def decided_by(self) -> tuple[str, ...]:
        """The names of the accounts that made the decisive decisions, as far as they are known."""
        decisions = decisive(self.decided, self.review)
        return tuple(dict.fromkeys(decided.by for decided in decisions if decided.by))

    @property
    def inherited(self) -> MatchDecision | None:
        """The decisive decision if every decisive decision was made about another page; otherwise None.

        Another version of the same page has another id, so it counts as another page here.
        """
        decisions = decisive(self.decided, self.review)
        if any(decided.page_id == self.page_id for decided in decisions):
            return None
        from_elsewhere = (decided for decided in decisions if decided.page_id or decided.url != self.url)
        return max(from_elsewhere, key=lambda decided: decided.made, default=None)
