"""Response models for rights holders: their contact data, and the documents that prove their rights."""

from datetime import datetime

from analysis.api.models.common import Answer
from storage.records import DocumentKind


class DocumentAnswer(Answer):
    """A stored document. ``work_id`` is the work whose rights it proves; null: all works."""

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
