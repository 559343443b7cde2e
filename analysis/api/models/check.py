"""Response models for checked texts."""

from typing import Self

from pydantic import BaseModel, Field

from analysis.actions.check import Checked as CheckedText
from analysis.api.models.common import fields_of
from analysis.api.models.matches import PlaceAnswer, SpanAnswer
from storage.records import LicenceState, MatchPart, UnreadReason, Verdict
from tracker.comparison import PassageMatch


class FoundPassage(BaseModel):
    """The match of a checked text with a passage."""

    work_id: int
    work: str
    passage_id: int
    passage: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    information_bits: int | None = Field(description="of the copied characters; null: not measured")
    char_identity: float
    sound_identity: float
    disguises: list[str]
    part: MatchPart = Field(description="`rest`: outside the page's article; a person must check it")
    found_in: list[PlaceAnswer] = Field(description="of a match in the rest: where on the page it is")
    also_contained: bool = Field(
        description="the text has most of the work, but counts for another work that fits it better"
    )
    licence: LicenceState
    spans: list[SpanAnswer]

    @classmethod
    def of(cls, match: PassageMatch) -> Self:
        """Return the answer for a match of a text."""
        named = {
            "work_id": match.work.id,
            "work": match.work.title,
            "passage_id": match.passage.id,
            "passage": match.passage.title,
            "found_in": [PlaceAnswer.model_validate(piece) for piece in match.found_in],
            "spans": [SpanAnswer.model_validate(span) for span in match.spans],
        }
        return cls.model_validate({**fields_of(cls, match), **named})


class Checked(BaseModel):
    """The matches of a checked text with protected works."""

    chars: int
    verdict: Verdict
    coverage: float
    copied_chars: int
    low_confidence: bool
    unaligned: int = Field(description="passages that may be in it and were not compared")
    capped: int = Field(description="fingerprints that too many passages share to look at all of them")
    left_out: int = Field(description="works that are not in the index, with which nothing was compared")
    rest_chars: int = Field(description="characters outside the article that were compared too")
    rest_verdict: Verdict = Field(description="the gravest verdict on a match outside the article")
    is_doubtful: bool = Field(description="the verdict rests on text outside the article alone")
    unread: dict[UnreadReason, int] = Field(
        description="what could not be compared: reason → characters, or a number of frames, scripts …"
    )
    matches: list[FoundPassage]

    @classmethod
    def of(cls, checked: CheckedText) -> Self:
        """Return the answer for a checked text."""
        comparison = checked.comparison
        return cls(
            chars=comparison.chars,
            verdict=comparison.verdict,
            coverage=comparison.coverage,
            copied_chars=comparison.copied_chars,
            low_confidence=comparison.low_confidence,
            unaligned=comparison.dropped,
            capped=comparison.capped,
            left_out=checked.left_out,
            rest_chars=comparison.rest_chars,
            rest_verdict=comparison.rest_verdict,
            is_doubtful=comparison.is_doubtful,
            unread=dict(checked.unread),
            matches=[FoundPassage.of(match) for match in comparison.matches],
        )
