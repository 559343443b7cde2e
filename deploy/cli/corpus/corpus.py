"""``pindna corpus``: the protected works."""

from collections.abc import Mapping
from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import WORK_KINDS, WORK_ROLES, WORK_STATES, word
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.corpus.corpus_add import add
from deploy.cli.corpus.corpus_regroup import merge, rename, split
from deploy.cli.corpus.corpus_remove import print_removed, remove, restore
from deploy.cli.corpus.editions import edition
from deploy.cli.corpus.roles import role
from deploy.cli.details import print_details
from deploy.cli.options import AsJson
from deploy.cli.session import session
from storage.records import Work, WorkRole
from tracker.corpus.naming import find_work
from tracker.corpus.removal import finish_removals

app = typer.Typer(no_args_is_help=True)
app.command("add", help=_("Load works: texts, books, saved pages, archives, and folders of them."))(add)
app.command("edition", help=_("Say that a work is an edition of another one, or is none."))(edition)
app.command("role", help=_("Say what works are here for: protected, earlier or background."))(role)
app.command("rename", help=_("Give a work another title."))(rename)
app.command("merge", help=_("Make several works one, such as volumes that were added alone."))(merge)
app.command("split", help=_("Make some passages of a work a work of their own."))(split)
app.command("remove", help=_("Remove works with all that was found about them; asks first."))(remove)
app.command("restore", help=_("Bring removed works back with all that was found about them."))(restore)


@app.command("list", help=_("List the works."))
def list_works(
    *,
    removed: Annotated[
        bool, typer.Option("--removed", help=_("List the works that were removed and can be brought back."))
    ] = False,
    only: Annotated[WorkRole | None, typer.Option("--role", help=_("Only those of this role."))] = None,
    as_json: AsJson = False,
) -> None:
    """Print every work."""
    with session() as runtime:
        if removed:
            finish_removals(runtime.stores, runtime.guard.live())
            gone = [work for work in runtime.stores.works.removed() if only in (None, work.role)]
            print_removed(gone, as_json=as_json)
            return
        every = runtime.stores.works.all()
    works = [work for work in every if only in (None, work.role)]
    if as_json:
        for work in works:
            print_json_line(_as_object(work))
        return
    headers = _("id"), _("title"), _("kind"), _("passages"), _("characters"), _("status")
    titles = {work.id: work.title for work in every}
    print_table(headers, (_cells(work, titles) for work in works))


def _cells(work: Work, titles: Mapping[int, str]) -> tuple[str | tuple[str, ...], ...]:
    """Return the row of a work: its book below its title, its role below its kind unless it is protected."""
    title, kind = [work.title], [word(translator(), WORK_KINDS, work.kind)]
    if work.edition_of is not None:
        book = titles.get(work.edition_of, f"id:{work.edition_of}")
        title.append(_("edition of “{book}”").format(book=book))
    if work.role != "protected":
        kind.append(word(translator(), WORK_ROLES, work.role))
    passages, characters = str(len(work.passage_ids)), f"{work.characters:,}"
    status = word(translator(), WORK_STATES, work.status)
    return str(work.id), tuple(title), tuple(kind), passages, characters, status


@app.command("show", help=_("Show one work and its passages."))
def show(
    key: Annotated[str, typer.Argument(metavar="WORK", help=_("Title, URL or id:NUMBER."))],
    *,
    as_json: AsJson = False,
) -> None:
    """Print one work."""
    with session() as runtime:
        work = find_work(key, runtime.stores)
        passages = sorted(
            runtime.stores.passages.get_many(work.passage_ids).values(), key=lambda passage: passage.ordinal
        )
        book = None if work.edition_of is None else find_work(f"id:{work.edition_of}", runtime.stores)
    details = {
        **_as_object(work),
        "contents": [{"id": p.id, "title": p.title, "characters": len(p.text)} for p in passages],
    }
    if as_json:
        print_json_line(details)
        return
    shown = {
        **_as_object(work),
        "published": work.published,
        "edition_of": None if book is None else _("“{title}” (id:{id})").format(title=book.title, id=book.id),
    }
    print_details(shown, labels={"kind": WORK_KINDS, "role": WORK_ROLES, "status": WORK_STATES})
    for passage in passages:
        print_result(f"  {passage.ordinal + 1:>4}  {passage.title or '-'}  ({len(passage.text):,})")


def _as_object(work: Work) -> dict[str, object]:
    return {
        "id": work.id,
        "title": work.title,
        "author": work.author,
        "holder": work.holder,
        "kind": work.kind,
        "role": work.role,
        "url": work.url,
        "published": work.published.iso() if work.published else None,
        "language": work.language,
        "rights": work.rights,
        "licensed_sites": sorted({licence.site for licence in work.permissions}),
        "origin": work.origin,
        "passages": len(work.passage_ids),
        "characters": work.characters,
        "postings": work.postings,
        "status": work.status,
        "edition_of": work.edition_of,
    }
