"""Rights holders: how to reach them, and the documents that prove their rights."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from analysis.api.models.common import Answer
from analysis.api.routes.common import example
from storage.records import DocumentKind

Line = Annotated[str, Field(max_length=300)]


class HolderFacts(BaseModel):
    """What notices say of a rights holder; empty: not known."""

    model_config = example(
        {"address": "北京市某路 1 号", "contact": "王某", "email": "rights@holder.example"}, is_closed=True
    )

    address: Line = ""
    contact: Line = ""
    position: Line = ""
    phone: Line = ""
    email: Line = ""
    registration: Line = ""


class DocumentAnswer(Answer):
    """A document that is kept; ``work_id``: the work that it proves the title to, null: all."""

    kind: DocumentKind
    name: str
    sha256: str
    bytes: int
    work_id: int | None
    added: datetime


class HolderAnswer(Answer):
    """A rights holder."""

    name: str
    address: str
    contact: str
    position: str
    phone: str
    email: str
    registration: str
    documents: list[DocumentAnswer]
