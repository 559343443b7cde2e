"""Editions at the command line: asked about when works are added, linked and parted by name."""

from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from deploy.cli.asking import is_confirmed
from deploy.cli.console import can_ask, print_progress, print_result
from deploy.cli.session import session
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.editions import Resemblance, link_edition, part_edition, resemblances
from tracker.corpus.naming import find_work
from tracker.runtime import Runtime


class NoBook(PindnaError):
    """Nobody said which book a work is an edition of."""

    template = "Say which work it is an edition of, --of WORK, or that it is a book of its own, --none."


def link_all(works: list[Work], book: Work, runtime: Runtime) -> None:
    """Make works editions of a book."""
    for work in works:
        if work.id != book.id:
            link_edition(work, book, runtime.stores)
            _print_link(work, book)


def _print_link(work: Work, book: Work) -> None:
    line = _("“{title}” is an edition of “{book}”: licences, matches and cases are those of the book.")
    print_progress(line.format(title=work.title, book=book.title))


def ask_about_editions(works: list[Work], runtime: Runtime) -> None:
    """Say which new works are mostly the text of earlier ones, and link those that are editions of them.

    Without a terminal to ask at they are linked, unless author or rights holder speak against it: two titles
    of one book would double each hit, and undo the licences of one of them.
    """
    stores = runtime.stores
    for alike in resemblances(works, stores, runtime.guard.live(), runtime.params):
        line = _("“{title}”: {share:.0%} of its text is in “{other}” already.")
        print_progress(line.format(title=alike.work.title, share=alike.share, other=alike.other.title))
        if _is_edition(alike):
            link_edition(alike.work, stores.works.get_many([alike.other.id])[alike.other.id], stores)
            _print_link(alike.work, alike.other)


def _is_edition(alike: Resemblance) -> bool:
    """Return whether a work is an edition of the one that it is like: the answer, or what is likely."""
    if can_ask():
        return is_confirmed(_("Is it another edition of that book?"), yes=False)
    if alike.is_contradicted:
        line = _("Author or rights holder differ: they stay apart. `{command}` links them.")
        command = f"pindna corpus edition id:{alike.work.id} --of id:{alike.other.id}"
    else:
        line = _("They are taken for editions of one book. `{command}` parts them.")
        command = f"pindna corpus edition id:{alike.work.id} --none"
    print_progress(line.format(command=command))
    return not alike.is_contradicted


def edition(
    name: Annotated[str, typer.Argument(metavar="WORK", help=_("Title, URL or id:NUMBER."))],
    *,
    of: Annotated[
        str | None, typer.Option("--of", metavar="WORK", help=_("It is an edition of that work."))
    ] = None,
    none: Annotated[bool, typer.Option("--none", help=_("It is a book of its own."))] = False,
) -> None:
    """Link a work with the book that it is an edition of, or part it from the others."""
    if (of is None) != none:
        raise NoBook
    with session() as runtime:
        work = find_work(name, runtime.stores)
        if of is not None:
            link_all([work], find_work(of, runtime.stores), runtime)
            return
        part_edition(work, runtime.stores)
    print_result(_("“{title}” is a book of its own.").format(title=work.title))
