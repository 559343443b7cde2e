"""``pindna corpus``: list, show and count the protected works."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.fields.cells import json_object
from analysis.fields.works import JSON_FIELDS, TERMINAL_FIELDS
from analysis.queries.works import every_work, get_work, passages_of, titles_of, work_called
from analysis.words.i18n import gettext as _
from analysis.words.labels import WORK_KINDS, WORK_ROLES, WORK_STATES
from deploy.cli.console import print_json_line, print_result
from deploy.cli.details import print_details
from deploy.cli.identity import user_session
from deploy.cli.labels import word_of
from deploy.cli.options import AsJson, WorkName
from deploy.cli.tables import Cell, cells_of, headers_of, print_list
from storage.records import Work, WorkRole
from tracker.runtime import Runtime


def list_works(
    *,
    removed: Annotated[
        bool, typer.Option("--removed", help=_("List removed works that can be restored."))
    ] = False,
    only: Annotated[WorkRole | None, typer.Option("--role", help=_("Only works with this role."))] = None,
    as_json: AsJson = False,
) -> None:
    with user_session() as (identity, runtime):
        if removed:
            _print_removed(identity, runtime, only, as_json=as_json)
            return
        works = every_work(identity, runtime.stores, role=only)
        books = [] if as_json else [work.edition_of for work in works if work.edition_of is not None]
        titles = titles_of(identity, runtime.stores, books)
    print_list(
        works,
        partial(json_object, JSON_FIELDS),
        headers_of(TERMINAL_FIELDS),
        partial(_cells, titles=titles),
        as_json=as_json,
    )


def _print_removed(identity: Identity, runtime: Runtime, only: WorkRole | None, *, as_json: bool) -> None:
    """Print the removed works that can be restored."""
    from analysis.actions.works import removed_works  # noqa: PLC0415 - readers of books, for these alone
    from deploy.cli.corpus.corpus_remove import print_removed  # noqa: PLC0415 - the same

    gone = [work for work in removed_works(identity, runtime) if only in (None, work.role)]
    print_removed(gone, as_json=as_json)


def _cells(work: Work, *, titles: Mapping[int, str]) -> tuple[Cell, ...]:
    """Return the row of a work. A cell may have a second line: the book, or a role other than protected."""
    title, kind = [work.title], [word_of(WORK_KINDS, work.kind)]
    if work.edition_of is not None:
        book = titles.get(work.edition_of, f"id:{work.edition_of}")
        title.append(_("edition of “{book}”").format(book=book))
    if work.role != "protected":
        kind.append(word_of(WORK_ROLES, work.role))
    cells: dict[str, Cell] = {
        "id": str(work.id),
        "title": tuple(title),
        "kind": tuple(kind),
        "passages": str(len(work.passage_ids)),
    }
    return cells_of(TERMINAL_FIELDS, work, cells)


def show(key: WorkName, *, as_json: AsJson = False) -> None:
    with user_session() as (identity, runtime):
        work = work_called(identity, runtime.stores, key)
        passages = passages_of(identity, runtime.stores, work)
        book = None if work.edition_of is None else get_work(identity, runtime.stores, work.edition_of)
    details = {
        **json_object(JSON_FIELDS, work),
        "contents": [{"id": p.id, "title": p.title, "characters": len(p.text)} for p in passages],
    }
    if as_json:
        print_json_line(details)
        return
    shown = {
        **json_object(JSON_FIELDS, work),
        "published": work.published,
        "edition_of": None if book is None else _("“{title}” (id:{id})").format(title=book.title, id=book.id),
    }
    print_details(shown, labels={"kind": WORK_KINDS, "role": WORK_ROLES, "status": WORK_STATES})
    for passage in passages:
        print_result(f"  {passage.ordinal + 1:>4}  {passage.title or '-'}  ({len(passage.text):,})")
