"""``/notices``."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from analysis.actions import notices as actions
from analysis.api.models.common import Part, part
from analysis.api.models.notices import FormAnswer, MadeNotice, NoticeAnswer, Preview
from analysis.api.once import Idempotency
from analysis.api.routes.common import Cursor, Limit, Name, Reason, Text, example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.notices.form_files import download_header, zip_of_files
from analysis.notices.gathering import MAX_FIRST, NoticeRequest
from analysis.notices.sending import Resolution
from analysis.queries import notices
from analysis.queries.listing import DEFAULT_LIMIT
from analysis.queries.notices import LetterScope
from storage.records import ContactRole, NoticeKind, NoticeState, Outcome

router = APIRouter(tags=["notices"])
_ZIP = "application/zip"
_Short = Annotated[str, Field(max_length=500)]


class NoticeInput(BaseModel):
    """The requested notice: its cases or its site, its kind and its recipient."""

    model_config = example({"case": "c7", "kind": "infringement"})

    case: _Short = ""
    cases: list[_Short] = Field(default=[], max_length=1_000, description="several cases of one site")
    site: _Short = Field(default="", description="instead of cases: all confirmed works of one holder on it")
    kind: NoticeKind = "infringement"
    role: ContactRole | None = None
    contact: _Short = ""
    holder: _Short = ""
    signer: _Short = ""
    first: int = Field(default=0, ge=0, le=MAX_FIRST, description="addresses at most; 0: all")

    def to_scope(self) -> LetterScope:
        """Return the cases of the letter."""
        return LetterScope(cases=tuple(filter(None, (self.case, *self.cases))), site=self.site)

    def to_request(self) -> NoticeRequest:
        """Return the request for :mod:`analysis.notices`."""
        return NoticeRequest(
            kind=self.kind,
            role=self.role,
            contact=self.contact,
            holder=self.holder,
            signer=self.signer,
            first=self.first,
        )


class NewNotice(NoticeInput):
    """A notice to make. A draft may lack facts, and is never sent."""

    model_config = example({"case": "c7", "draft": True})

    draft: bool = False


class Confirmation(BaseModel):
    """The name of the notice again, so that nothing is sent by mistake."""

    model_config = example({"confirm": "n3"})

    confirm: _Short


class Resolved(BaseModel):
    """The outcome of a notice: it was sent, it was not sent, or it should not be sent."""

    model_config = example({"resolution": "sent", "because": "by post"})

    resolution: Resolution
    reason: Reason = ""


class Reply(BaseModel):
    """The reply of the recipient."""

    model_config = example({"outcome": "accepted", "because": "they took it down"})

    outcome: Outcome
    reason: Reason = ""


@router.get("/notices")
def list_notices(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    case: Text = "",
    site: Text = "",
    state: NoticeState | None = None,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[NoticeAnswer]:
    """List notices, the newest first."""
    query = notices.NoticeQuery(case=case, site=site, state=state)
    listing = notices.list_notices(identity, services.stores, query, cursor=cursor, limit=limit)
    return part(listing, [NoticeAnswer.of(notice) for notice in listing.items])


@router.get("/notices/forms")
def list_forms(identity: CallerIdentity, services: ApiServices) -> list[FormAnswer]:
    """List the forms of platforms that a notice can fill."""
    settings = services.runtime.settings.analysis.notices
    return [FormAnswer.of(form) for form in notices.forms_of(identity, settings)]


@router.get(
    "/notices/{name}/forms/{form}",
    response_class=Response,
    responses={200: {"content": {_ZIP: {}}, "description": "the sheet and the lists of addresses, as a zip"}},
)
def fill_form(identity: CallerIdentity, services: ApiServices, name: Name, form: Name) -> Response:
    """Fill the form of a platform for a notice."""
    filled = actions.fill(identity, services.runtime, name, form)
    headers = download_header(f"{filled.name}.zip")
    return Response(zip_of_files(filled.files), media_type=_ZIP, headers=headers)


@router.get("/notices/{name}")
def get_notice(identity: CallerIdentity, services: ApiServices, name: Name) -> NoticeAnswer:
    """Show a notice."""
    return NoticeAnswer.of(notices.get_notice(identity, services.stores, name))


@router.post("/notices/preview")
def preview_notice(identity: CallerIdentity, services: ApiServices, body: NoticeInput) -> Preview:
    """Show a preview of a notice, without storing it."""
    return Preview.of(actions.preview(identity, services.runtime, body.to_scope(), body.to_request()))


@router.post("/notices", status_code=HTTPStatus.CREATED, response_model=MadeNotice)
def make_notice(
    identity: CallerIdentity, services: ApiServices, once: Idempotency, body: NewNotice
) -> Response:
    """Make a notice with its evidence package, without sending it: for cases, or for a site."""
    identity.require("notices:make")

    def act() -> MadeNotice:
        scope, request = body.to_scope(), body.to_request()
        return MadeNotice.of(actions.make(identity, services.runtime, scope, request, is_draft=body.draft))

    return once.answer(body, act)


@router.post("/notices/{name}/send", response_model=NoticeAnswer)
def send_notice(
    identity: CallerIdentity, services: ApiServices, name: Name, once: Idempotency, confirmation: Confirmation
) -> Response:
    """Send a notice by mail, at most once."""
    identity.require("notices:send")

    def act() -> NoticeAnswer:
        sent = actions.send(identity, services.runtime, name, confirm=confirmation.confirm)
        return NoticeAnswer.of(sent)

    return once.answer(confirmation, act, status=HTTPStatus.OK)


@router.post("/notices/{name}/resolution")
def resolve_notice(
    identity: CallerIdentity, services: ApiServices, name: Name, resolved: Resolved
) -> NoticeAnswer:
    """Record whether an uncertain notice was sent, or that a notice was sent without pindna."""
    notice = actions.resolve(identity, services.runtime, name, resolved.resolution, reason=resolved.reason)
    return NoticeAnswer.of(notice)


@router.post("/notices/{name}/reply")
def answer_notice(identity: CallerIdentity, services: ApiServices, name: Name, reply: Reply) -> NoticeAnswer:
    """Record the reply to a notice; the state of its case changes with it."""
    notice = actions.answer(identity, services.runtime, name, reply.outcome, reason=reply.reason)
    return NoticeAnswer.of(notice)
