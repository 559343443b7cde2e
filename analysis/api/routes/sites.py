"""``/sites``: contacts, and look-ups of who answers for a site."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter
from pydantic import BaseModel, Field

from analysis.actions import contacts as actions
from analysis.api.models.common import fields_of
from analysis.api.models.sites import ConfirmedAnswer, ContactAnswer, LookupAnswer
from analysis.api.once import Idempotency
from analysis.api.problems import language_of
from analysis.api.routes.common import example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries import contacts
from storage.records import ContactRole

router = APIRouter(tags=["sites"])
Site = Annotated[str, PathParameter(max_length=300, description="a site, or a host of it")]
_MAX_PROPOSALS = 50


class ConfirmedProposals(BaseModel):
    """Proposals of the last look-up that are true. Each field of a contact has one value."""

    model_config = example({"proposals": ["3f1c09ab"]}, is_closed=True)

    proposals: list[str] = Field(min_length=1, max_length=_MAX_PROPOSALS, description="their ids")
    role: ContactRole | None = Field(default=None, description="null: the role that the proposals describe")


class _Nothing(BaseModel):
    """The body of a request without a body, for its idempotency key."""


@router.get("/sites/{site}/contacts")
def list_contacts(identity: CallerIdentity, services: ApiServices, site: Site) -> list[ContactAnswer]:
    """List the contacts of a site by role."""
    name = contacts.contact_site(site)
    listed = contacts.list_contacts(identity, services.stores, site=name)
    return [ContactAnswer.model_validate(contact) for contact in listed]


@router.get("/sites/{site}/lookup")
def get_lookup(request: Request, identity: CallerIdentity, services: ApiServices, site: Site) -> LookupAnswer:
    """Show the last look-up of a site."""
    view = contacts.get_lookup(identity, services.stores, contacts.contact_site(site))
    return LookupAnswer.of(view, language_of(request))


@router.post("/sites/{site}/lookup", response_model=LookupAnswer)
def look_up_site(
    request: Request, identity: CallerIdentity, services: ApiServices, once: Idempotency, site: Site
) -> Response:
    """Look up who answers for a site: in its stored pages and, if configured, in DNS and RDAP."""
    identity.require("notices:make")
    name = contacts.contact_site(site)

    def act() -> LookupAnswer:
        view = actions.look_up_site(identity, services.runtime, name)
        return LookupAnswer.of(view, language_of(request))

    return once.answer(_Nothing(), act, status=HTTPStatus.OK)


@router.post("/sites/{site}/contacts")
def confirm_proposals(
    identity: CallerIdentity, services: ApiServices, site: Site, body: ConfirmedProposals
) -> ConfirmedAnswer:
    """Store proposals in a contact of the site. The audit log has who confirmed them."""
    name = contacts.contact_site(site)
    confirmed = actions.confirm_proposals(identity, services.runtime, name, body.proposals, role=body.role)
    fields = {**fields_of(ContactAnswer, confirmed.contact), "replaced": confirmed.replaced}
    return ConfirmedAnswer.model_validate(fields)
