"""Editions at the command line: questions about new works, and commands to link and separate works."""

from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.regrouping import resembling_works, set_edition
from analysis.queries.works import work_called
from analysis.words.i18n import gettext as _
from deploy.cli.asking import is_confirmed
from deploy.cli.console import can_ask, print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import WorkName
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.editions import Resemblance
from tracker.runtime import Runtime


class NoEditionNamed(PindnaError):
    """The command did not get the book of which a work is an edition."""

    code = "no-book"
    template = "Use --of WORK to make it an edition of that work, or --none to make it a separate book."


def link_all(identity: Identity, runtime: Runtime, works: list[Work], book: Work) -> None:
    """Make works editions of a book."""
    for work in works:
        if work.id != book.id:
            _link(identity, runtime, work, book)


def _link(identity: Identity, runtime: Runtime, work: Work, book: Work) -> None:
    set_edition(identity, runtime, work.id, of=book.id)
    line = _("“{title}” is an edition of “{book}”: licences, matches and cases are those of the book.")
    print_progress(line.format(title=work.title, book=book.title))


def ask_about_editions(identity: Identity, runtime: Runtime, works: list[Work]) -> None:
    """Print which new works mostly repeat earlier works, and link the new works that are editions of these.

    Without a terminal for a question, works are linked unless author or rights holder differ. The reason is
    that two unlinked titles of one book would double each hit, and would cancel the licences of one of the
    titles.
    """
    for alike in resembling_works(identity, runtime, works):
        line = _("“{title}”: {share:.0%} of its text is already in “{other}”.")
        print_progress(line.format(title=alike.work.title, share=alike.share, other=alike.other.title))
        if _is_edition(alike):
            _link(identity, runtime, alike.work, alike.other)


def _is_edition(alike: Resemblance) -> bool:
    """Return whether a work is an edition of a similar work: the user's answer, or else the likely one."""
    if can_ask():
        return is_confirmed(_("Is it another edition of that book?"), yes=False)
    if alike.is_contradicted:
        line = _(
            "The author or the rights holder differs, so the works stay separate. `{command}` links them."
        )
        command = f"pindna corpus edition id:{alike.work.id} --of id:{alike.other.id}"
    else:
        line = _("They are treated as editions of one book. `{command}` separates them.")
        command = f"pindna corpus edition id:{alike.work.id} --none"
    print_progress(line.format(command=command))
    return not alike.is_contradicted


def edition(
    name: WorkName,
    *,
    of: Annotated[
        str | None, typer.Option("--of", metavar="WORK", help=_("Make the work an edition of this work."))
    ] = None,
    none: Annotated[bool, typer.Option("--none", help=_("Make the work a separate book."))] = False,
    by: As = "",
) -> None:
    if (of is None) != none:
        raise NoEditionNamed
    with user_session(by) as (identity, runtime):
        work = work_called(identity, runtime.stores, name)
        if of is not None:
            link_all(identity, runtime, [work], work_called(identity, runtime.stores, of))
            return
        set_edition(identity, runtime, work.id, of=None)
    print_result(_("“{title}” is a separate book.").format(title=work.title))
