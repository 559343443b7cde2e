"""Look-ups of who answers for a site: proposals with their sources, which a person confirms as contacts."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now
from system.messages import NO_MESSAGE, Message

# Steps of a look-up. ``pages``: stored pages of the site; ``names``: DNS; ``domain``: the registration of the
# domain; ``network``: the registration of the IP address. The last two are RDAP.
LookupStep = Literal["pages", "names", "domain", "network"]
LOOKUP_STEPS: tuple[LookupStep, ...] = get_args(LookupStep)

# How a step ended. ``empty``: an answer without anything usable; ``off``: not configured; ``not-asked``: the
# question makes no sense for this site; ``failed``: no usable answer.
LookupState = Literal["answered", "empty", "off", "not-asked", "failed"]
LOOKUP_STATES: tuple[LookupState, ...] = get_args(LookupState)

# What a proposal is. The first five are fields of a contact; the others become lines of its note.
ProposalKind = Literal[
    "name",
    "email",
    "phone",
    "form",
    "address",
    "icp",
    "police",
    "qq",
    "registrar",
    "registered",
    "ip",
    "network",
    "country",
    "cdn",
    "alias",
    "name-server",
    "mail-server",
]
PROPOSAL_KINDS: tuple[ProposalKind, ...] = get_args(ProposalKind)

# Whom a proposal describes: the operator of the site, its hosting provider or CDN, or its registrar.
ProposalSubject = Literal["site", "host", "registrar"]
PROPOSAL_SUBJECTS: tuple[ProposalSubject, ...] = get_args(ProposalSubject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A possible fact about a contact, with its source. No one has checked it.

    Attributes:
        id: hash of step, subject, kind and value, so that a new look-up does not give it to another value.
        source: address of the page, or of the server that answered.
        words: the words that it was read from.
        pages: number of stored pages that contain it, of ``SiteLookup.pages_read``; 0: not from a page.
        is_in_text: it only occurs in the texts of pages, so it may belong to another person.
        at: when it was read.
    """

    id: str
    step: LookupStep
    subject: ProposalSubject
    kind: ProposalKind
    value: str
    source: str
    words: str = ""
    pages: int = 0
    is_in_text: bool = False
    at: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupResult:
    """How a step of a look-up ended.

    Attributes:
        reason: why there is no answer.
    """

    step: LookupStep
    state: LookupState
    reason: Message = NO_MESSAGE
    at: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteLookup:
    """The last look-up of a site.

    Attributes:
        id: the site.
        by: who requested it.
        pages_read: number of stored pages that were read.
        results: one for each step, in the order of ``LOOKUP_STEPS``.
        proposals: by step; those of a step that failed now are from an earlier look-up.
    """

    id: str
    at: datetime
    by: str
    pages_read: int
    results: tuple[LookupResult, ...]
    proposals: tuple[Proposal, ...]
