"""What is known of a rights holder, and the documents that prove its rights, as people give them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.notices.spelling import mailbox
from storage.collections.holders import MAX_FILE_BYTES
from storage.collections.stores import Stores
from storage.records import DocumentKind, Holder, HolderDocument, utc_now
from system.errors import PindnaError

MAX_DOCUMENT_BYTES = MAX_FILE_BYTES
TEXTS = "address", "contact", "position", "phone", "email", "registration"  # of a holder, that people give


class DocumentTooLarge(PindnaError):
    """A document is too long to be kept. Data: ``name``, ``limit``."""

    template = "{name} is longer than {limit} bytes; give a smaller scan."


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document as somebody gives it; attributes as of :class:`HolderDocument`."""

    kind: DocumentKind
    name: str
    data: bytes
    work_id: int | None = None


def texts_of(values: Mapping[str, str]) -> dict[str, str]:
    """Return fields of a holder, each in one line.

    Args:
        values: by names of :data:`TEXTS`.

    Raises:
        BadMailbox: the mail address is none.
    """
    texts = {name: " ".join(values[name].split()) for name in TEXTS if name in values}
    return texts | ({"email": mailbox(texts["email"])} if texts.get("email") else {})


def changed_texts(holder: Holder, shown: Mapping[str, str | None]) -> dict[str, str]:
    """Return the fields of a form that say something else than a holder that it was filled with."""
    return {name: text or "" for name, text in shown.items() if (text or "") != getattr(holder, name)}


def save_holder(
    holder: Holder,
    texts: Mapping[str, str],
    stores: Stores,
    *,
    documents: Sequence[NewDocument] = (),
    dropped: Collection[HolderDocument] = (),
) -> Holder:
    """Store a holder with what was given and return it; bytes of documents first, so that none is missing.

    Args:
        holder: as it was.
        texts: fields that change, see :func:`texts_of`.
        stores: the database.
        documents: are added to those that it has.
        dropped: of its documents, those that are forgotten.

    Raises:
        DocumentTooLarge: a document is; nothing is stored.
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
