"""``pindna corpus add``: add files as works, index them, and compare the stored pages with them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.queries.works import work_called
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from analysis.words.site_patterns import host_name
from deploy.cli.arguments import require_one
from deploy.cli.console import print_error, print_progress, print_result
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
from tracker.corpus.layout import JoinedBy, LayoutOptions, Numbered
from tracker.corpus.loading import Terms
from tracker.corpus.roles import BackgroundText
from tracker.runtime import Runtime

_SHOWN_JOINED = 10  # works of several files that the summary lists


class TwoAnswers(PindnaError):
    """The options contradict each other: new works are editions of a work, and are not editions."""

    template = "Use either --edition-of or --no-edition, not both."


class OneAndSeparate(PindnaError):
    """The options contradict each other: the files are one work, and each is a work."""

    template = "Use either --separate or an option that joins files (--as-one, --title, --numbered chapters)."


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
    separate: Annotated[bool, typer.Option("--separate", help=_("Each file is a work."))] = False
    title: Annotated[str | None, typer.Option(help=_("All files together are one work of this title."))] = (
        None
    )

    def layout(self) -> LayoutOptions:
        """Return the options as a layout for reading files; a title of only spaces counts as no title.

        Raises:
            OneAndSeparate: they contradict each other.
        """
        title = (self.title or "").strip() or None
        if self.separate and (self.as_one or title or self.numbered == "chapters"):
            raise OneAndSeparate
        return LayoutOptions(as_one=self.as_one, separate=self.separate, title=title, numbered=self.numbered)


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
    """Print how many works were added, and how files became works."""
    line = _("{new} new, {changed} changed, {unchanged} unchanged, {skipped} skipped.")
    print_result(line.format(**added.counts))
    for title, count, reason in added.joined[:_SHOWN_JOINED]:
        print_result("  " + _reasons()[reason].format(title=title, count=count))
    rest = added.joined[_SHOWN_JOINED:]
    if rest:
        line = _("{works} more works, each of several files: {count} files.")
        print_result("  " + line.format(works=len(rest), count=sum(count for _title, count, _reason in rest)))
    if added.joined and added.alone:
        line = ngettext(
            "{count} work is a single file.", "{count} works are a single file each.", added.alone
        )
        print_result("  " + line.format(count=added.alone))
    if added.joined and added.new:
        print_progress(_("`pindna corpus undo` removes the new works of this load."))
    for unread in added.unread:
        print_error(unread)


def _reasons() -> dict[JoinedBy, str]:
    """Return the line about a work of several files, by the reason why they are one work."""
    return {
        "choice": _("“{title}”: {count} files, as you chose."),
        "table": _("“{title}”: {count} files, because a table of metadata says so."),
        "folder": _("“{title}”: {count} files, because they are in one folder."),
        "names": _("“{title}”: {count} files, because their names are those of chapters."),
        "openings": _("“{title}”: {count} files, because they open with chapter headings."),
    }
