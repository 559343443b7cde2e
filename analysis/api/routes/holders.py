"""``/holders``: the data of rights holders for notices."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from analysis.actions import holders as actions
from analysis.api.models.holders import HolderAnswer
from analysis.api.routes.common import example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries.holders import holder_of

router = APIRouter(tags=["holders"])
HolderName = Annotated[str, Path(max_length=500, description="as works name the holder")]

_Line = Annotated[str, Field(max_length=300)]


class HolderFacts(BaseModel):
    """The data of a rights holder for notices; empty: unknown."""

    model_config = example(
        {"address": "北京市某路 1 号", "contact": "王某", "email": "rights@holder.example"}, is_closed=True
    )

    address: _Line = ""
    contact: _Line = ""
    position: _Line = ""
    phone: _Line = ""
    email: _Line = ""
    registration: _Line = ""


@router.get("/holders/{name:path}")
def get_holder(identity: CallerIdentity, services: ApiServices, name: HolderName) -> HolderAnswer:
    """Show the data of a rights holder that works name. Unknown fields are empty."""
    return HolderAnswer.model_validate(holder_of(identity, services.stores, name))


@router.put("/holders/{name:path}")
def describe_holder(
    identity: CallerIdentity, services: ApiServices, name: HolderName, facts: HolderFacts
) -> HolderAnswer:
    """Replace all data of a rights holder. Its documents stay unchanged."""
    holder = actions.set_holder(identity, services.runtime, name, facts.model_dump())
    return HolderAnswer.model_validate(holder)
