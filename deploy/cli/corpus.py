"""``pindna corpus``: the protected works."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from analysis.i18n import gettext as _
from crawler.addresses import is_web, site_of
from deploy.cli.console import print_error, print_json_line, print_result, print_table, progress
from deploy.cli.options import AsJson
from deploy.cli.outcomes import Tally, for_each
from deploy.cli.session import session
from deploy.cli.waiting import wait_for_scan, wait_for_works, warn_of_missing_works
from storage.errors import PindnaError
from storage.records import Work
from tracker.corpus.loading import Licence, find_work, remove_work, store_works
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.texts import text_files
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works
from tracker.scans.scanning import start_scan

_BATCH_WORKS = 1_000
_BATCH_CHARACTERS = 3_000_000


class BadSite(PindnaError):
    """A licensed site is not a host. Data: ``site``."""

    template = "“{site}” is not a site. Name its host, such as book.example.cn."


app = typer.Typer(no_args_is_help=True)


@app.command("add", help=_("Load works: .txt and .jsonl files, and folders of them."))
def add(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help=_("Files and folders."))],
    *,
    holder: Annotated[str | None, typer.Option(help=_("The rights holder's name."))] = None,
    licensed: Annotated[
        list[str] | None, typer.Option("--licensed", help=_("A site that may publish these works (host)."))
    ] = None,
    wait: Annotated[bool, typer.Option(help=_("Wait until everything is indexed and compared."))] = True,
) -> None:
    """Load works, have them indexed, and compare them with the pages that are stored already."""
    licence = Licence(holder, tuple(map(_site, licensed or ())))
    with session(worker=True) as runtime:
        tally = Tally()
        counts = add_works(paths, runtime, licence, tally)
        if wait:
            wait_for_works(runtime)
            tally.left += warn_of_missing_works(runtime)
            compare_stored_pages(runtime)
    print_result(
        _("{new} new, {changed} changed, {unchanged} unchanged, {skipped} skipped.").format(**counts)
    )
    if tally.status:
        raise typer.Exit(tally.status)


def _site(text: str) -> str:
    """Return the host that a site was named by, written as pages have it.

    Raises:
        BadSite: it is not a host.
    """
    url = text if "://" in text else f"http://{text}"
    if not is_web(url) or any(map(str.isspace, text)):
        raise BadSite(site=text)
    return site_of(url)


def site_pattern(text: str) -> str:
    """Return the host that a site was named by, or a pattern of hosts: ``*`` stands for any characters.

    Raises:
        BadSite: it is neither.
    """
    if "*" not in text:
        return _site(text)
    _site(text.replace("*", "x"))
    return text.lower()


def add_works(paths: list[Path], runtime: Runtime, licence: Licence, tally: Tally) -> dict[str, int]:
    """Store the works of some paths and count them; files that cannot be used are reported and skipped.

    Args:
        paths: files and folders.
        runtime: the stores.
        licence: what the rights holder says of them.
        tally: takes note of each work, and of what could not be used.
    """
    counts = {"new": 0, "changed": 0, "unchanged": 0, "skipped": 0}
    index = runtime.guard.live()
    with progress() as bar:
        files = bar.track(list(text_files(paths)), description=_("Loading files"))
        for batch in _batches(files, runtime.settings.tracker.max_file_bytes):
            raws = [raw for raw in batch if not isinstance(raw, PindnaError)]
            stored = iter(store_works(raws, runtime.stores, index, licence=licence))
            for raw in batch:
                outcome = raw if isinstance(raw, PindnaError) else next(stored)
                counts["skipped" if isinstance(outcome, PindnaError) else outcome[0]] += 1
                tally.done += not isinstance(outcome, PindnaError)
                for remark in _remarks(raw, outcome):
                    print_error(remark)
                    tally.note(remark)
            if raws:  # workers begin while the next files are read
                dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send)
    return counts


def _remarks(raw: RawWork | PindnaError, outcome: object) -> Iterator[PindnaError]:
    """Yield what to report of a work: parts that could not be used, and why it was skipped."""
    if isinstance(raw, RawWork):
        yield from raw.remarks
    if isinstance(outcome, PindnaError):
        yield outcome


def _batches(files: Iterable[Path | PindnaError], max_bytes: int) -> Iterator[list[RawWork | PindnaError]]:
    """Yield the works of the files in batches that are stored quickly and fit a message."""
    batch: list[RawWork | PindnaError] = []
    characters = 0
    for path in files:
        for raw in [path] if isinstance(path, PindnaError) else read_works(path, max_bytes=max_bytes):
            batch.append(raw)
            characters += 0 if isinstance(raw, PindnaError) else sum(len(part.text) for part in raw.sections)
            if characters > _BATCH_CHARACTERS or len(batch) == _BATCH_WORKS:
                yield batch
                batch, characters = [], 0
    if batch:
        yield batch


def compare_stored_pages(runtime: Runtime) -> None:
    """Compare pages that were compared with an older mother corpus."""
    stores, rules = runtime.stores, runtime.settings.tracker
    version = stores.versions.current()
    if stores.works.count("indexed") and stores.pages.count_stale(corpus_version=version):
        scan = start_scan(stores, runtime.guard, rules, sources=(), trigger="corpus")
        wait_for_scan(runtime, scan)


@app.command("list", help=_("List the works."))
def list_works(*, as_json: AsJson = False) -> None:
    """Print every work."""
    with session() as runtime:
        works = runtime.stores.works.all()
    if as_json:
        for work in works:
            print_json_line(_as_object(work))
        return
    headers = _("id"), _("title"), _("kind"), _("passages"), _("characters"), _("status")
    print_table(headers, map(_cells, works))


def _cells(work: Work) -> tuple[str, ...]:
    passages, characters = str(len(work.passage_ids)), f"{work.characters:,}"
    return str(work.id), work.title, work.kind, passages, characters, work.status


@app.command("show", help=_("Show one work and its passages."))
def show(
    key: Annotated[str, typer.Argument(metavar="WORK", help=_("Title, URL or id."))],
    *,
    as_json: AsJson = False,
) -> None:
    """Print one work."""
    with session() as runtime:
        work = find_work(key, runtime.stores)
        passages = sorted(
            runtime.stores.passages.get_many(work.passage_ids).values(), key=lambda passage: passage.ordinal
        )
    details = {
        **_as_object(work),
        "contents": [{"id": p.id, "title": p.title, "characters": len(p.text)} for p in passages],
    }
    if as_json:
        print_json_line(details)
        return
    for name, value in details.items():
        if name != "contents":
            print_result(f"{name}: {value}")
    for passage in passages:
        print_result(f"  {passage.ordinal + 1:>4}  {passage.title or '-'}  ({len(passage.text):,})")


@app.command("remove", help=_("Remove works with all that was found about them."))
def remove(
    keys: Annotated[list[str], typer.Argument(metavar="WORK…", help=_("Titles, URLs or ids."))],
) -> None:
    """Remove works."""
    with session() as runtime:
        index = runtime.guard.live()

        def forget(key: str) -> str:
            work = remove_work(key, runtime.stores, index)
            return _("Removed “{title}” (id {id}).").format(title=work.title, id=work.id)

        tally = for_each(keys, forget)
    if tally.status:
        raise typer.Exit(tally.status)


def _as_object(work: Work) -> dict[str, object]:
    return {
        "id": work.id,
        "title": work.title,
        "author": work.author,
        "holder": work.holder,
        "kind": work.kind,
        "url": work.url,
        "published": work.published.isoformat() if work.published else None,
        "licensed_sites": sorted({licence.site for licence in work.permissions}),
        "origin": work.origin,
        "passages": len(work.passage_ids),
        "characters": work.characters,
        "postings": work.postings,
        "status": work.status,
    }
