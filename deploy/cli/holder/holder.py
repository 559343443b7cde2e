"""``pindna holder``: rights holders, how to reach them, and the documents that prove their rights."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.holders import remove_holder, set_holder
from analysis.notices.holders import MAX_DOCUMENT_BYTES, TEXTS, NewDocument, texts_of
from analysis.queries.holders import find_holder, get_holder
from analysis.queries.holders import list_holders as holders_by_name
from analysis.queries.works import owned_work_called
from analysis.words.i18n import gettext as _
from analysis.words.labels import DOCUMENT_KINDS
from deploy.cli.arguments import require
from deploy.cli.asking import Yes, confirm_removal
from deploy.cli.console import byte_count, print_json_line, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject, Limit, with_options
from deploy.cli.tables import print_list, print_outcome
from storage.records import DocumentKind, Holder, HolderDocument
from system.errors import PindnaError, UnknownRecord
from system.local_files import read_file, readable
from tracker.runtime import Runtime

Name = Annotated[
    str, typer.Argument(metavar="NAME", help=_("Name of the rights holder, as recorded in the works."))
]

_FIELDS = "name address contact position phone email registration"
_DOCUMENT = "kind name sha256 bytes work_id added"


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderOptions:
    """The options that describe a holder; None: the option was not given."""

    address: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Postal address."))] = None
    contact: Annotated[
        str | None, typer.Option(metavar="TEXT", help=_("Contact person of the rights holder."))
    ] = None
    position: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Position of that person."))] = None
    phone: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Telephone number."))] = None
    email: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Mail address."))] = None
    registration: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help=_("Number of the business licence or the identity document.")),
    ] = None
    identity: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help=_("Scan of a proof of identity; repeatable.")),
    ] = None
    authorisation: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help=_("Authorisation to act for another holder; repeatable.")),
    ] = None
    title_proof: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help=_("Proof of title to works; repeatable.")),
    ] = None
    work: Annotated[
        str | None,
        typer.Option(metavar="WORK", help=_("The work that the proofs of title are for; default: all.")),
    ] = None

    def texts(self) -> dict[str, str]:
        """Return the text fields that were given; each becomes one line.

        Raises:
            BadMailbox: the mail address is none.
        """
        facts = {name: getattr(self, name) for name in TEXTS}
        return texts_of({name: text for name, text in facts.items() if text is not None})

    def files(self) -> list[NewDocument]:
        """Return the documents.

        Raises:
            MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: one cannot be used.
        """
        return [
            *_files("identity", self.identity),
            *_files("authorisation", self.authorisation),
            *_files("title", self.title_proof),
        ]


class KnownHolder(PindnaError):
    """A holder with this name exists already. Data: ``name``."""

    template = "The rights holder {name} exists already. Change it with `pindna holder set`."


class EmptyName(PindnaError):
    """A holder has no name."""

    template = "A holder needs a name."


@with_options
def add(name: Name, *, facts: HolderOptions, by: As = "", as_json: AsJsonObject = False) -> None:
    texts, files, name = facts.texts(), facts.files(), name.strip()  # before any service starts
    if not name:
        raise EmptyName
    with user_session(by) as (identity, runtime):
        if find_holder(identity, runtime.stores, name) is not None:
            raise KnownHolder(name=name)
        documents = _of_work(identity, runtime, files, facts.work)
        holder = set_holder(identity, runtime, name, texts, documents=documents)
    line = _("Added: {name}").format(name=holder.name)
    print_outcome(_as_object(holder), line, as_json=as_json)


@with_options
def change(
    name: Name,
    *,
    facts: HolderOptions,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="SHA256", help=_("Document to delete, by the beginning of its SHA-256.")),
    ] = None,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Replace fields of a holder; new documents are added to the existing ones."""
    texts, files = facts.texts(), facts.files()  # before any service starts
    with user_session(by) as (identity, runtime):
        holder = get_holder(identity, runtime.stores, name)
        dropped = [document.use for start in drop or () for document in _named(start, holder)]
        documents = _of_work(identity, runtime, files, facts.work)
        holder = set_holder(identity, runtime, name, texts, documents=documents, dropped=dropped)
    line = _("Changed: {name}").format(name=holder.name)
    print_outcome(_as_object(holder), line, as_json=as_json)


def list_holders(*, limit: Limit = None, as_json: AsJsonLines = False) -> None:
    with user_session() as (user, runtime):
        holders = holders_by_name(user, runtime.stores, limit=limit)
        headers = _("name"), _("contact"), _("telephone"), _("mail"), _("documents")
        print_list(holders, _as_object, headers, _cells, as_json=as_json)


def _cells(holder: Holder) -> tuple[str, ...]:
    return holder.name, holder.contact, holder.phone, holder.email, str(len(holder.documents))


def show(name: Name, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        holder = get_holder(user, runtime.stores, name)
    if as_json:
        print_json_line(_as_object(holder))
        return
    print_result(holder.name)
    for label, value in _lines(holder):
        print_result(f"  {label}: {value or '–'}")
    for document in holder.documents:
        kind = word_of(DOCUMENT_KINDS, document.kind)
        size = byte_count(document.bytes)
        print_result(f"  {kind}: {document.name}  {size}  SHA-256 {document.sha256}")


def remove(name: Name, *, yes: Yes = False, by: As = "") -> None:
    """Delete a holder; notices that exist stay."""
    with user_session(by) as (identity, runtime):
        holder = get_holder(identity, runtime.stores, name)
        question = _("Delete {name} and its documents?").format(name=holder.name)
        confirm_removal(question, yes=yes)
        remove_holder(identity, runtime, name)
    print_result(_("Removed: {name}").format(name=name))


def _named(start: str, holder: Holder) -> list[HolderDocument]:
    """Return the documents of a holder whose SHA-256 begins with a prefix."""
    named = [document for document in holder.documents if start and document.sha256.startswith(start.lower())]
    if not named:
        raise UnknownRecord(kind="document", name=start)
    return named


def _files(kind: DocumentKind, paths: list[Path] | None) -> Iterator[NewDocument]:
    for path in paths or ():
        require(path)
        data = read_file(path, max_bytes=MAX_DOCUMENT_BYTES)
        yield NewDocument(kind=kind, name=readable(path.name), data=data)


def _of_work(
    identity: Identity, runtime: Runtime, files: list[NewDocument], work: str | None
) -> list[NewDocument]:
    """Restrict the proofs of title among documents to a work; None: they apply to all works."""
    if work is None:
        return files
    work_id = owned_work_called(identity, runtime.stores, work).book_id
    return [replace(document, work_id=work_id) for document in files]


def _lines(holder: Holder) -> tuple[tuple[str, str], ...]:
    return (
        (_("address"), holder.address),
        (_("contact"), f"{holder.contact} {holder.position}".strip()),
        (_("telephone"), holder.phone),
        (_("mail"), holder.email),
        (_("registration"), holder.registration),
    )


def _as_object(holder: Holder) -> dict[str, object]:
    documents = [object_of(document, _DOCUMENT) for document in holder.documents]
    return object_of(holder, _FIELDS, documents=documents)
