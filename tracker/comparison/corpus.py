"""The mother corpus in the form that comparison needs: passages, index, profiles and decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from storage.index.interface import FingerprintIndex
from storage.records import Decision, WorkKind
from tracker.comparison.passages import PassageReader
from tracker.indexing.params import IndexParams
from tracker.judgement.profiles import PROFILES, Profile


class DecisionSource(Protocol):
    """A source of decisions."""

    def of_passages(self, shas: Iterable[str], *, site: str) -> Mapping[str, Sequence[Decision]]:
        """Return a site's decisions on the texts of passages, by the SHA-256 of the text."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The mother corpus in the form that comparison needs, with the rules for verdicts."""

    passages: PassageReader
    index: FingerprintIndex
    params: IndexParams
    profiles: Mapping[WorkKind, Profile] = field(default_factory=lambda: PROFILES)
    decisions: DecisionSource | None = None
