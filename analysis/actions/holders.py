"""Change and delete rights holders: their contact data, and the documents that prove their rights."""

from collections.abc import Collection, Mapping, Sequence

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.notices.holders import TEXTS, NewDocument, save_holder, texts_of
from analysis.queries.holders import get_holder, holder_of
from storage.records import Holder
from tracker.runtime import Runtime


def set_holder(
    identity: Identity,
    runtime: Runtime,
    name: str,
    texts: Mapping[str, str],
    *,
    documents: Sequence[NewDocument] = (),
    dropped: Collection[tuple[str, str, int | None]] = (),
) -> Holder:
    """Change a rights holder, or add it. Return it after the change.

    Args:
        identity: the user or program that records it.
        runtime: the open services.
        name: name of the holder, as works contain it.
        texts: name from :data:`TEXTS` → value. Other texts stay unchanged.
        documents: documents to add.
        dropped: ``use`` of each document to delete.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
        BadMailbox: the mail address is not valid.
        DocumentTooLarge: a document is too large to be stored.
    """
    identity.require("works:write")
    before = holder_of(identity, runtime.stores, name)
    gone = [document for document in before.documents if document.use in dropped]
    after = save_holder(before, texts_of(texts), runtime.stores, documents=documents, dropped=gone)
    record_action(
        identity,
        runtime,
        "set-holder",
        f"holder {name}",
        before=_log_fields(before),
        after=_log_fields(after),
    )
    return after


def remove_holder(identity: Identity, runtime: Runtime, name: str) -> None:
    """Delete a holder and its documents. Existing notices stay.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
        UnknownRecord: there is no holder of that name.
    """
    before = get_holder(identity, runtime.stores, name)
    runtime.stores.holders.delete(name)
    record_action(identity, runtime, "remove-holder", f"holder {name}", before=_log_fields(before))


def _log_fields(holder: Holder) -> Mapping[str, object]:
    """Return the facts of a holder for the audit log."""
    documents = [f"{document.kind} {document.name} {document.sha256}" for document in holder.documents]
    return {**{name: getattr(holder, name) for name in TEXTS}, "documents": ", ".join(documents)}
