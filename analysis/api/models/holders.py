"""Rights holders: how to reach them, and the documents that prove their rights."""

from datetime import datetime

from analysis.api.models.common import Answer
from storage.records import DocumentKind


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
