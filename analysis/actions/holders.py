"""Rights holders: how to reach them, and the documents that prove their rights."""

from collections.abc import Collection, Mapping, Sequence

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
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
    """Say what is known of a holder, which is added where nothing was; returns it as it is then.

    Args:
        identity: says so.
        runtime: the open services.
        name: of the holder, as works have it.
        texts: by names of :data:`TEXTS`; what is not named stays.
        documents: are added.
        dropped: ``use`` of the documents that are forgotten.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        BadMailbox: no mail can be sent to that address.
        DocumentTooLarge: a document is too long to be kept.
    """
    identity.require("works:write")
    before = holder_of(identity, runtime.stores, name)
    gone = [document for document in before.documents if document.use in dropped]
    after = save_holder(before, texts_of(texts), runtime.stores, documents=documents, dropped=gone)
    note_act(
        identity,
        runtime,
        "set-holder",
        f"holder {name}",
        before=_log_fields(before),
        after=_log_fields(after),
    )
    return after


def remove_holder(identity: Identity, runtime: Runtime, name: str) -> None:
    """Forget a holder and its documents; notices that were made stay.

    Raises:
        NotPermitted, UnknownId: it is not this one's to forget.
        UnknownRecord: there is none of that name.
    """
    before = get_holder(identity, runtime.stores, name)
    runtime.stores.holders.delete(name)
    note_act(identity, runtime, "remove-holder", f"holder {name}", before=_log_fields(before))


def _log_fields(holder: Holder) -> Mapping[str, object]:
    """Return the facts of a holder for the audit log."""
    documents = [f"{document.kind} {document.name} {document.sha256}" for document in holder.documents]
    return {**{name: getattr(holder, name) for name in TEXTS}, "documents": ", ".join(documents)}
