"""Store the contact details of rights holders and the documents that prove their rights."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.notices.spelling import mailbox
from storage.collections.holders import MAX_FILE_BYTES
from storage.collections.stores import Stores
from storage.records import DocumentKind, Holder, HolderDocument, utc_now
from system.errors import PindnaError

MAX_DOCUMENT_BYTES = MAX_FILE_BYTES
# fields that users enter for a holder
TEXTS = "address", "contact", "position", "phone", "email", "registration"


class DocumentTooLarge(PindnaError):
    """A document is too large to store.

    Attributes:
        name: file name of the document.
        limit: bytes that a document may have.
    """

    template = "{name} is larger than {limit} bytes. Upload a smaller scan."


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document that a user adds, with the attributes of :class:`HolderDocument`."""

    kind: DocumentKind
    name: str
    data: bytes
    work_id: int | None = None


def texts_of(values: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a holder, each as one line.

    Args:
        values: by names of :data:`TEXTS`.

    Raises:
        BadMailbox: the mail address is invalid.
    """
    texts = {name: " ".join(values[name].split()) for name in TEXTS if name in values}
    return texts | ({"email": mailbox(texts["email"])} if texts.get("email") else {})


def changed_texts(holder: Holder, shown: Mapping[str, str | None]) -> dict[str, str]:
    """Return the fields of a form that differ from the holder that the form was filled with."""
    return {name: text or "" for name, text in shown.items() if (text or "") != getattr(holder, name)}


def save_holder(
    holder: Holder,
    texts: Mapping[str, str],
    stores: Stores,
    *,
    documents: Sequence[NewDocument] = (),
    dropped: Collection[HolderDocument] = (),
) -> Holder:
    """Store a holder and return it. Documents are stored first, so a stored holder never lacks one.

    Args:
        holder: the holder before the change.
        texts: fields to change, see :func:`texts_of`.
        stores: the database.
        documents: documents to add.
        dropped: documents to remove.

    Raises:
        DocumentTooLarge: a document is too large; nothing is stored.
    """
    for new_document in documents:
        if len(new_document.data) > MAX_DOCUMENT_BYTES:
            raise DocumentTooLarge(name=new_document.name, limit=MAX_DOCUMENT_BYTES)
    kept = {document.use: document for document in holder.documents if document not in dropped}
    for new_document in documents:
        document = HolderDocument(
            kind=new_document.kind,
            name=new_document.name,
            sha256=stores.holders.save_file(new_document.data),
            bytes=len(new_document.data),
            work_id=new_document.work_id if new_document.kind == "title" else None,
            added=utc_now(),
        )
        kept[document.use] = document
    changed = replace(holder, **texts, documents=tuple(kept.values()), updated=utc_now())  # type: ignore[arg-type]
    stores.holders.save(changed)
    for document in dropped:
        stores.holders.delete_file(document.sha256)
    return changed
