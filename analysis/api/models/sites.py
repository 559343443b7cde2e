"""Response models for sites: contacts, and look-ups of who answers for a site."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel

from analysis.api.models.common import Answer, fields_of
from analysis.queries.contacts import LookupView
from analysis.words.i18n import Translator
from storage.records import ContactRole, LookupState, LookupStep, ProposalKind, ProposalSubject


class ContactAnswer(Answer):
    """A contact of a site, which receives notices."""

    role: ContactRole
    site: str
    name: str
    address: str
    phone: str
    email: str
    form: str
    note: str
    updated: datetime


class ConfirmedAnswer(ContactAnswer):
    """A contact after a confirmation. `replaced` contains the former values of the fields that changed."""

    replaced: dict[ProposalKind, str]


class LookupResultAnswer(BaseModel):
    """How a step of a look-up ended. `reason` is in words, in the language of the request."""

    step: LookupStep
    state: LookupState
    reason: str
    at: datetime


class ProposalAnswer(BaseModel):
    """A possible fact about a contact.

    `source` is the page or server that contains it, `words` are the words around it. `pages` counts the read
    pages that contain it. `confirmed` is the role of the contact that contains it, or null.
    """

    id: str
    step: LookupStep
    subject: ProposalSubject
    kind: ProposalKind
    value: str
    source: str
    words: str
    pages: int
    is_in_text: bool
    at: datetime
    confirmed: ContactRole | None


class LookupAnswer(BaseModel):
    """The last look-up of a site. Proposals are not checked; a person confirms the true ones."""

    site: str
    at: datetime
    by: str
    pages_read: int
    results: list[LookupResultAnswer]
    proposals: list[ProposalAnswer]

    @classmethod
    def of(cls, view: LookupView, texts: Translator) -> Self:
        """Return the answer for a look-up."""
        lookup = view.lookup
        results = [
            {**fields_of(LookupResultAnswer, result), "reason": texts.message(result.reason)}
            for result in lookup.results
        ]
        proposals = [
            {**fields_of(ProposalAnswer, proposal), "confirmed": view.role_of(proposal)}
            for proposal in lookup.proposals
        ]
        fields = {**fields_of(cls, lookup), "site": lookup.id, "results": results, "proposals": proposals}
        return cls.model_validate(fields)
