"""``pindna corpus rename``, ``merge`` and ``split``: change titles and grouping of works."""

from typing import Annotated

import typer

from analysis.actions.regrouping import merge as merge_works
from analysis.actions.regrouping import split as split_work
from analysis.actions.works import describe_work
from analysis.queries.works import work_called
from analysis.words.i18n import gettext as _
from deploy.cli.console import print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import WorkName
from system.errors import PindnaError
from tracker.corpus.numbers import parse_numbers


class OneWork(PindnaError):
    """The command to merge works got only one work."""

    template = "Give two or more works; the others are merged into the first one."


def rename(
    work: WorkName,
    title: Annotated[str, typer.Argument(metavar="TITLE", help=_("The new title."))],
    *,
    by: As = "",
) -> None:
    with user_session(by) as (identity, runtime):
        old = work_called(identity, runtime.stores, work)
        new = describe_work(identity, runtime, old.id, title=title)
    print_result(_("“{old}” is now called “{new}”.").format(old=old.title, new=new.title))


def merge(
    names: Annotated[
        list[str], typer.Argument(metavar="WORK…", help=_("Works in this order, by title, URL or id:NUMBER."))
    ],
    *,
    title: Annotated[
        str | None, typer.Option(help=_("Title of the merged work; default: the title of the first work."))
    ] = None,
    by: As = "",
) -> None:
    with user_session(by) as (identity, runtime):
        works = list(dict.fromkeys(work_called(identity, runtime.stores, name).id for name in names))
        if len(works) == 1:
            raise OneWork
        merged = merge_works(identity, runtime, works, title=title or "")
    line = _("{count} works were merged into “{title}” (id:{id}), {passages} passages.")
    print_result(
        line.format(count=len(works), title=merged.title, id=merged.id, passages=len(merged.passage_ids))
    )


def split(
    work: WorkName,
    title: Annotated[str, typer.Argument(metavar="TITLE", help=_("Title of the new work."))],
    *,
    passages: Annotated[
        str,
        typer.Option(
            metavar="NUMBERS", help=_("Numbers of the passages, as `corpus show` lists them: 1-20 or 3,5.")
        ),
    ],
    by: As = "",
) -> None:
    numbers = parse_numbers(passages)
    with user_session(by) as (identity, runtime):
        old = work_called(identity, runtime.stores, work)
        new = split_work(identity, runtime, old.id, title=title, numbers=numbers)
    line = _("“{title}” (id:{id}) now contains {count} passages of “{old}”.")
    print_result(line.format(title=new.title, id=new.id, count=len(new.passage_ids), old=old.title))
