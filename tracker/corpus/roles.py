"""What a text of the corpus is here for: a work to protect, an earlier publication, or background text."""

from storage.collections.stores import Stores
from storage.records import Work, WorkRole
from system.errors import PindnaError
from tracker.corpus.naming import find_work


class BackgroundText(PindnaError):
    """A background text was named where an owner is needed. Data: ``title``, ``id``."""

    template = (
        "“{title}” is background text: it is nobody's, so no page is a copy of it. "
        "`pindna corpus role id:{id} --as protected` makes it a protected work."
    )


class DifferentRoles(PindnaError):
    """Works of different roles were to be one. Data: ``title``, ``other``."""

    template = (
        "“{title}” and “{other}” have different roles, so they cannot be one. "
        "`pindna corpus role` changes the role of one of them."
    )


def find_owned(name: str, stores: Stores) -> Work:
    """Return a work that somebody owns, by title, address, or id.

    Raises:
        BackgroundText: it is background text.
        UnknownRecord, AmbiguousTitle: see :func:`tracker.corpus.naming.find_work`.
    """
    work = find_work(name, stores)
    if not work.is_owned:
        raise BackgroundText(title=work.title, id=work.id)
    return work


def refuse_different(work: Work, other: Work) -> None:
    """See that two works may be made one.

    Raises:
        DifferentRoles: they may not.
    """
    if work.role != other.role:
        raise DifferentRoles(title=work.title, other=other.title)


def set_role(work: Work, role: WorkRole, stores: Stores) -> None:
    """Give a work a role, with all editions of its book; pages that hold something of them wait again.

    What was found of a work that becomes nobody's is laid aside; it comes back when the work is owned again.
    All editions have the role at once, and bear a mark until the rest is done: what is killed in between is
    finished by the next scan (:func:`finish_roles`).
    """
    from tracker.judgement.cases import refresh_cases  # noqa: PLC0415 - lists of works need it not

    editions = stores.works.of_book(work.book_id)
    ids = [edition.id for edition in editions]
    if any(edition.role != role for edition in editions):
        stores.works.set_roles(ids, role)
    for edition in editions:
        if role == "background":
            stores.removed.archive_findings(edition)
        else:
            bring_back(edition, stores)
    refresh_cases(stores, stores.cases.keys_of(work.book_id))
    if {edition.id for edition in stores.works.unfinished()} & set(ids):
        stores.works.record_changes(ids)


def finish_roles(stores: Stores) -> None:
    """Go on with changes of roles that were broken off; may be repeated."""
    for work in {work.book_id: work for work in stores.works.unfinished()}.values():
        set_role(work, work.role, stores)


def bring_back(work: Work, stores: Stores) -> None:
    """Put what was found of a work back where it was, if it was laid aside; may be repeated."""
    from tracker.judgement.cases import refresh_cases  # noqa: PLC0415 - lists of works need it not

    stores.removed.restore_findings(work.id)
    matches = stores.matches.of_work(work.book_id)
    stores.pages.settle({match.url for match in matches}, compared={match.page_id for match in matches})
    refresh_cases(stores, {(match.work_id, match.site) for match in matches})
