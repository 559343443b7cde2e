"""``pindna corpus add``: add files as works, index them, and compare the stored pages with them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.queries.works import work_called
from analysis.words.i18n import gettext as _
from analysis.words.site_patterns import host_name
from deploy.cli.arguments import require_one
from deploy.cli.console import print_error, print_result
from deploy.cli.corpus.corpus_files import Added, add_works
from deploy.cli.corpus.editions import ask_about_editions, link_all
from deploy.cli.corpus.roles import chosen_role
from deploy.cli.identity import As, user_session
from deploy.cli.options import WaitForAll, with_options
from deploy.cli.outcomes import Tally
from deploy.cli.scan.joining import compare_stored_pages
from deploy.cli.scan.waiting import wait_for_works, warn_of_missing_works
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.layout import LayoutOptions, Numbered
from tracker.corpus.loading import Terms
from tracker.corpus.roles import BackgroundText
from tracker.runtime import Runtime


class TwoAnswers(PindnaError):
    """The options contradict each other: new works are editions of a work, and are not editions."""

    template = "Use either --edition-of or --no-edition, not both."


class OtherRole(PindnaError):
    """New works cannot be editions of a work that has another role. Data: ``title``."""

    template = (
        "“{title}” has another role, and its editions have the same. "
        "Leave out --earlier or --edition-of, or change it with `pindna corpus role`."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerOptions:
    """The options for the owner and the role of new works."""

    holder: Annotated[str | None, typer.Option(help=_("The rights holder's name."))] = None
    licensed: Annotated[
        list[str] | None, typer.Option("--licensed", help=_("A site that may publish these works (host)."))
    ] = None
    background: Annotated[
        bool,
        typer.Option(
            "--background",
            help=_(
                "Load the texts as background texts, such as templates and statutes; text shared with "
                "them is not a copy."
            ),
        ),
    ] = False
    earlier: Annotated[
        bool,
        typer.Option(
            "--earlier",
            help=_("Load the texts as earlier publications of the holder; reports show them as the origin."),
        ),
    ] = False
    edition_of: Annotated[
        str | None, typer.Option(metavar="WORK", help=_("Load the texts as editions of this work."))
    ] = None
    no_edition: Annotated[
        bool,
        typer.Option(
            "--no-edition", help=_("Load the texts as separate works, not as editions of stored works.")
        ),
    ] = False

    def terms(self) -> Terms:
        """Return the terms for each new work.

        Raises:
            TwoAnswers, TwoRoles, BackgroundRights: they contradict each other.
            BadSite: a licensed site is none.
        """
        if self.edition_of is not None and self.no_edition:
            raise TwoAnswers
        rights = bool(self.holder or self.licensed or self.edition_of)
        role = chosen_role(background=self.background, earlier=self.earlier, rights=rights)
        return Terms(self.holder, tuple(map(host_name, self.licensed or ())), role)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """The options that decide which files are works and which are chapters of one work."""

    numbered: Annotated[
        Numbered | None,
        typer.Option(
            help=_("How to add files named by numbers: each as a work, or as the chapters of one work.")
        ),
    ] = None
    as_one: Annotated[
        bool, typer.Option("--as-one", help=_("All files of each folder or archive are one work."))
    ] = False
    title: Annotated[str | None, typer.Option(help=_("All files together are one work of this title."))] = (
        None
    )

    def layout(self) -> LayoutOptions:
        """Return the options as a layout for reading files; a title of only spaces counts as no title."""
        return LayoutOptions(
            as_one=self.as_one, title=(self.title or "").strip() or None, numbered=self.numbered
        )


@with_options
def add(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help=_("Files and folders."))],
    *,
    owner: OwnerOptions,
    files: FileOptions,
    wait: WaitForAll = True,
    by: As = "",
) -> None:
    terms = owner.terms()
    require_one(paths)
    with user_session(by, worker=True) as (identity, runtime):
        book = None if owner.edition_of is None else work_called(identity, runtime.stores, owner.edition_of)
        if book is not None:
            terms = _in_role_of(book, terms)
        tally = Tally()
        added = add_works(identity, paths, runtime, terms, tally, options=files.layout())
        if wait:
            wait_for_works(runtime)
            tally.missing += warn_of_missing_works(runtime)
        _settle_editions(identity, added.new, runtime, book, may_ask=not owner.no_edition)
        if wait:
            compare_stored_pages(identity, runtime)
    _print_summary(added)
    tally.end()


def _in_role_of(book: Work, terms: Terms) -> Terms:
    """Return the terms for works that become editions of a book: the book decides their role."""
    if not book.is_owned:
        raise BackgroundText(title=book.title, id=book.id)
    if terms.role not in (None, book.role):
        raise OtherRole(title=book.title)
    return replace(terms, role=book.role)


def _settle_editions(
    identity: Identity, works: list[Work], runtime: Runtime, book: Work | None, *, may_ask: bool
) -> None:
    """Link new works to the books of which they are editions."""
    if book is not None:
        link_all(identity, runtime, works, book)
    elif may_ask:
        ask_about_editions(identity, runtime, [work for work in works if work.is_owned])


def _print_summary(added: Added) -> None:
    line = _("{new} new, {changed} changed, {unchanged} unchanged, {skipped} skipped.")
    print_result(line.format(**added.counts))
    for unread in added.unread:
        print_error(unread)
