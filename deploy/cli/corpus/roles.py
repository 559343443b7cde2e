"""Roles at the command line: protected works, earlier publications, and background texts."""

from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.works import change_role, losses_of
from analysis.queries.works import work_called
from analysis.words.i18n import gettext as _
from analysis.words.labels import WORK_ROLES
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.console import print_progress, print_result
from deploy.cli.identity import user_session
from deploy.cli.labels import word_of
from deploy.cli.options import WaitForAll, WorkNames
from deploy.cli.scan.joining import compare_stored_pages
from deploy.cli.scan.waiting import wait_for_works
from storage.records import Work, WorkRole
from system.errors import PindnaError
from tracker.runtime import Runtime


class TwoRoles(PindnaError):
    """The options contradict each other: background text and earlier publication of a holder."""

    template = "Use either --background or --earlier, not both."


class BackgroundRights(PindnaError):
    """An option for background texts makes sense only for works with an owner."""

    template = (
        "Background texts are public: leave out --holder, --licensed and --edition-of, or --background."
    )


def chosen_role(*, background: bool, earlier: bool, rights: bool) -> WorkRole | None:
    """Return the role in the options; None if they contain no role.

    Args:
        background: the option.
        earlier: the option.
        rights: something is said that only owners can have.

    Raises:
        TwoRoles, BackgroundRights: the options contradict each other.
    """
    if background and earlier:
        raise TwoRoles
    if background and rights:
        raise BackgroundRights
    return "background" if background else "earlier" if earlier else None


def role(
    names: WorkNames,
    *,
    new: Annotated[WorkRole, typer.Option("--as", help=_("Role of the works; background texts are public."))],
    yes: Yes = False,
    wait: WaitForAll = True,
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="NAME", help=_("Name to record for this action; default: the login name.")
        ),
    ] = "",
) -> None:
    with user_session(by, worker=True) as (identity, runtime):
        works = {
            work.id: work for work in (work_called(identity, runtime.stores, name) for name in names)
        }.values()
        changing = [work for work in works if work.role != new]
        if new == "background" and not _confirm_role_change(identity, runtime, changing, yes=yes):
            print_result(_("Nothing was changed."))
            return
        for work in works:
            change_role(identity, runtime, work.id, new)
        if wait:
            wait_for_works(runtime)
            compare_stored_pages(identity, runtime)
    for work in works:
        line = _("“{title}”: {role}.")
        print_result(line.format(title=work.title, role=word_of(WORK_ROLES, new)))


def _confirm_role_change(identity: Identity, runtime: Runtime, works: list[Work], *, yes: bool) -> bool:
    """Print which matches will not count once works are background texts, and ask for confirmation."""
    losses = [(work, losses_of(identity, runtime, work.id)[0]) for work in works]
    with_matches = [(work, loss) for work, loss in losses if loss.matches]
    line = _(
        "“{title}” (id:{id}): {matches} matches in {cases} cases do not count while it is a background text."
    )
    for work, loss in with_matches:
        shown = line.format(title=work.title, id=work.id, matches=loss.matches, cases=loss.cases)
        print_progress(shown)
    return not with_matches or is_confirmed(_("Make these works background texts?"), yes=yes)
