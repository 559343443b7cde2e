"""The mother corpus as comparison needs it: works, passages, index, and the rules that it is judged by."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from storage.index.interface import FingerprintIndex
from storage.records import Decision, Passage, Work, WorkKind
from tracker.indexing.params import IndexParams
from tracker.judgement.profiles import PROFILES, Profile


class Works(Protocol):
    """Where works come from."""

    def get_many(self, ids: Iterable[int]) -> Mapping[int, Work]:
        """Return the works that exist among ``ids``."""


class Passages(Protocol):
    """Where passages come from."""

    def get_many(self, ids: Iterable[int]) -> Mapping[int, Passage]:
        """Return the passages that exist among ``ids``."""


class Decisions(Protocol):
    """Where decisions come from."""

    def of_passages(self, shas: Iterable[str], *, site: str) -> Mapping[str, Sequence[Decision]]:
        """Return a site's decisions on some passages' texts, by the text's SHA-256."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The mother corpus as comparison needs it, and the rules that it is judged by."""

    works: Works
    passages: Passages
    index: FingerprintIndex
    params: IndexParams
    profiles: Mapping[WorkKind, Profile] = field(default_factory=lambda: PROFILES)
    decisions: Decisions | None = None
