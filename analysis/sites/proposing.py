"""Build proposals from the facts of any source. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from analysis.words.visible import one_line
from storage.records import LookupStep, Proposal, ProposalKind, ProposalSubject

MAX_VALUE_CHARS = 300  # of the longest value, an address
_MAX_SOURCE_CHARS = 2_000
_ID_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a source, with the words that contain it."""

    subject: ProposalSubject
    kind: ProposalKind
    value: str
    words: str


def proposal_of(step: LookupStep, fact: Fact, *, source: str, at: datetime) -> Proposal:
    """Return a proposal; the texts of strangers become short lines without hidden characters.

    Args:
        step: where the fact comes from.
        fact: the fact.
        source: address of the page or server.
        at: the present time.
    """
    value = one_line(fact.value[:MAX_VALUE_CHARS])
    key = f"{step}|{fact.subject}|{fact.kind}|{value}".encode("utf-8", "replace")
    return Proposal(
        id=hashlib.sha256(key).hexdigest()[:_ID_DIGITS],
        step=step,
        subject=fact.subject,
        kind=fact.kind,
        value=value,
        source=one_line(source[:_MAX_SOURCE_CHARS]),
        words=one_line(fact.words[:MAX_VALUE_CHARS]),
        at=at,
    )
