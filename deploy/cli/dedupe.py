"""``pindna dedupe``: groups of near-duplicates among the texts of files and folders."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from analysis.i18n import gettext as _
from analysis.i18n import ngettext
from analysis.spreadsheet import BYTE_ORDER_MARK, cell
from deploy.cli.console import print_json_line, progress, say, tell
from deploy.cli.documents import Reading
from deploy.cli.report import CannotWrite
from fingerprint.idf import FLAT
from fingerprint.registry import methods
from storage.candidates import REACH, TextRecord
from storage.errors import PindnaError
from tracker.deduplication import Deduplication, Group, Member
from tracker.learnt import read_words
from tracker.words import segmenter

# Chosen by measurement: docs/decisions/0030-deduplication.md.
DEFAULT_METHOD = "shingle"
DEFAULT_THRESHOLD = 0.3

COLUMNS = ("group", "input", "title", "published", "chars", "similarity", "earliest")


class UnknownMethod(PindnaError):
    """There is no method of that name. Data: ``method``, ``known``."""

    template = "There is no method “{method}”. Choose one of: {known}."


class BadThreshold(PindnaError):
    """A threshold is not above 0 and at most 1. Data: ``value``."""

    template = "A threshold is above 0 and at most 1, not {value}."


def dedupe(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help=_("Texts, saved pages, .jsonl files, folders."))
    ],
    *,
    method: Annotated[
        str, typer.Option(help=_("How texts are compared: a name that `pindna compare` lists."))
    ] = DEFAULT_METHOD,
    threshold: Annotated[
        float | None, typer.Option(help=_("Similarity from which texts belong together, above 0 to 1."))
    ] = None,
    dictionary: Annotated[
        Path | None, typer.Option(help=_("Words of your own, a line each: word, frequency, tag."))
    ] = None,
    idf: Annotated[
        Path | None, typer.Option(help=_("Weights of words, as `pindna measure words` writes them."))
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help=_("Also write a table for spreadsheets."))
    ] = None,
    work_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help=_("Where the temporary work file goes."))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print one JSON object a line."))] = False,
) -> None:
    """Find groups of near-duplicates."""
    words = segmenter(dictionary)
    weights = read_words(idf, words.words_id) if idf else FLAT
    known = {each.name: each for each in methods(idf=weights, words_id=words.words_id)}
    if method not in known:
        raise UnknownMethod(method=method, known=", ".join(known))
    if threshold is not None and not 0 < threshold <= 1:
        raise BadThreshold(value=threshold)
    least = DEFAULT_THRESHOLD if threshold is None and method == DEFAULT_METHOD else threshold
    reading = Reading()
    with (
        Deduplication(known[method], cut=words.cut, threshold=least, folder=work_dir) as search,
        _rows(table) as write,
    ):
        for each in reading.documents(paths, _("Reading texts")):
            record = TextRecord(
                name=each.name, title=each.title, published=each.published, chars=len(each.text)
            )
            search.add(record, each.text)
        count = 0
        with progress() as bar:
            for count, group in enumerate(search.groups(report=_advance(bar)), 1):
                _show(count, group, as_json=as_json)
                for member in group.members:
                    write((count, *_row(member)))
        _conclude(search, count)
    if reading.failed:
        raise typer.Exit(2)


def _advance(bar: Progress) -> Any:
    task = bar.add_task(_("Comparing candidates"), total=None)
    return lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _rows(path: Path | None) -> Iterator[Any]:
    """Open the table, if one is wanted, and give what writes a row.

    Raises:
        CannotWrite: the folder or file is in the way.
    """
    if path is None:
        yield lambda _row: None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(BYTE_ORDER_MARK)
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            yield lambda row: writer.writerow([cell(value) for value in row])
    except OSError as error:
        raise CannotWrite(path=path, problem=error.strerror or str(error)) from error


def _row(member: Member) -> tuple[object, ...]:
    text, similarity = member.text, round(member.similarity, 4)
    return text.name, text.title, text.published, text.chars, similarity, int(member.earliest)


def _show(number: int, group: Group, *, as_json: bool) -> None:
    if as_json:
        print_json_line({"group": number, "documents": [_object(member) for member in group.members]})
        return
    say(_("Group {number}: {count} texts").format(number=number, count=len(group.members)))
    for member in group.members:
        say("  " + _line(member))


def _object(member: Member) -> dict[str, object]:
    text = member.text
    return {
        "input": text.name,
        "title": text.title,
        "published": text.published.isoformat() if text.published else None,
        "chars": text.chars,
        "similarity": round(member.similarity, 4),
        "earliest": member.earliest,
    }


def _line(member: Member) -> str:
    text = member.text
    facts = [
        f"{member.similarity:.0%}",
        _("{chars} characters").format(chars=text.chars),
        *([f"{text.published:%Y-%m-%d %H:%M}"] if text.published else []),
        *([_("earliest")] if member.earliest else []),
    ]
    return f"{text.name} {text.title} ({', '.join(facts)})"


def _conclude(search: Deduplication, groups: int) -> None:
    """Tell what was looked at, and what could not be told."""
    tell(_("{texts} texts, {groups} groups of near-duplicates.").format(texts=len(search), groups=groups))
    if search.without_keys:
        tell(
            ngettext(
                "{count} text is too short for this method, so nothing is known of it.",
                "{count} texts are too short for this method, so nothing is known of them.",
                search.without_keys,
            ).format(count=search.without_keys)
        )
    if search.crowded:
        tell(
            _(
                "{count} passages stand in more than {reach} texts; for them alone, texts were compared only "
                "with the next {reach}."
            ).format(count=search.crowded, reach=REACH)
        )
