"""Roles of texts in the corpus: protected work, earlier publication, or background text."""

from storage.collections.stores import Stores
from storage.records import Work, WorkRole
from system.errors import PindnaError
from tracker.corpus.naming import find_work


class BackgroundText(PindnaError):
    """A background text was given where a work with an owner is needed.

    Attributes:
        title: the title.
        id: its id.
    """

    template = (
        "“{title}” is background text without an owner, so pages are not copies of it. To protect"
        " it, run `pindna corpus role id:{id} --as protected`."
    )


class DifferentRoles(PindnaError):
    """Works of different roles cannot be combined.

    Attributes:
        title: the title.
        other: the other work, or its origin.
    """

    template = (
        "Cannot combine “{title}” and “{other}”: they have different roles. Change a role with "
        "`pindna corpus role`."
    )


def find_owned(name: str, stores: Stores) -> Work:
    """Return a work with an owner, by title, address, or id.

    Raises:
        BackgroundText: it is background text.
        UnknownRecord, AmbiguousTitle: see :func:`tracker.corpus.naming.find_work`.
    """
    work = find_work(name, stores)
    if not work.is_owned:
        raise BackgroundText(title=work.title, id=work.id)
    return work


def refuse_different(work: Work, other: Work) -> None:
    """Check that two works have the same role.

    Raises:
        DifferentRoles: they do not.
    """
    if work.role != other.role:
        raise DifferentRoles(title=work.title, other=other.title)


def set_role(work: Work, role: WorkRole, stores: Stores) -> None:
    """Set the role of a work and all editions of its book; pages that contain their text wait again.

    Findings of a work that becomes background text are archived; they return when the work has an owner
    again. All editions get the role at once, with a mark that is removed at the end. The next scan finishes a
    change that was interrupted (:func:`finish_roles`).
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
    """Continue interrupted changes of roles; may be repeated."""
    for work in {work.book_id: work for work in stores.works.unfinished()}.values():
        set_role(work, work.role, stores)


def bring_back(work: Work, stores: Stores) -> None:
    """Restore the archived findings of a work, if any; may be repeated."""
    from tracker.judgement.cases import refresh_cases  # noqa: PLC0415 - lists of works need it not

    stores.removed.restore_findings(work.id)
    matches = stores.matches.of_work(work.book_id)
    stores.pages.settle({match.url for match in matches}, compared={match.page_id for match in matches})
    refresh_cases(stores, {(match.work_id, match.site) for match in matches})
