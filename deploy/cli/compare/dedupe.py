"""``pindna dedupe``: find groups of near-duplicates among the texts of files and folders."""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.reports.spreadsheet import BYTE_ORDER_MARK, cell
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.compare.documents import DocumentReader, Paths, TextDocument
from deploy.cli.compare.methods import Dictionary, Weights, chosen_methods, words_of
from deploy.cli.console import print_json_line, print_progress, print_result, progress
from deploy.cli.files import open_output
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines
from fingerprint.method import Method
from system.errors import PindnaError
from tracker.similarity.deduplication import Deduplication, Group, Member
from tracker.similarity.work_file import REACH, TextRecord

# Chosen by measurement: of 60 reprints the lowest share is .42; few pairs of 3,000 different articles exceed
# .3, all of them reports of one event or formula.
DEFAULT_METHOD = "shingle"
DEFAULT_THRESHOLD = 0.3

COLUMNS = ("group", "input", "title", "published", "chars", "similarity", "earliest")


class UnknownMethod(PindnaError):
    """There is no method with this name. Data: ``method``, ``known``."""

    template = "There is no method “{method}”. Choose one of: {known}."


class BadSimilarity(PindnaError):
    """A threshold must be above 0 and at most 1. Data: ``value``."""

    code = "bad-threshold"
    template = "A threshold is above 0 and at most 1, not {value}."


def dedupe(
    paths: Paths,
    *,
    method: Annotated[
        str, typer.Option(help=_("Method of comparison; `pindna compare` lists the methods."))
    ] = DEFAULT_METHOD,
    threshold: Annotated[
        float | None, typer.Option(help=_("Minimum similarity of the texts in a group, above 0 to 1."))
    ] = None,
    dictionary: Dictionary = None,
    idf: Weights = None,
    table: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help=_("Also write a table for spreadsheets."))
    ] = None,
    work_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help=_("Folder of the temporary work file."))
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    words, weights = words_of(dictionary, idf)
    chosen = _method(method, chosen_methods(words, weights))
    reading = DocumentReader(table)
    with (
        Deduplication(
            chosen, cut=words.cut, threshold=_threshold(threshold, method), folder=work_dir
        ) as search,
        _rows(table) as write,
    ):
        for document in reading.documents(paths, _("Reading texts")):
            search.add(_record(document), document.text)
        groups = _show_all(search, write, as_json=as_json)
        _conclude(search, groups)
    tally = reading.tally
    tally.has_found = groups > 0
    tally.missing += search.without_keys
    tally.end()


def _method(name: str, methods: Sequence[Method[Any]]) -> Method[Any]:
    """Return the method with a name."""
    by_name = {method.name: method for method in methods}
    if name not in by_name:
        raise UnknownMethod(method=name, known=", ".join(by_name))
    return by_name[name]


def _threshold(value: float | None, method: str) -> float | None:
    """Return the threshold; None means that the method uses its own."""
    if value is None:
        return DEFAULT_THRESHOLD if method == DEFAULT_METHOD else None
    if not 0 < value <= 1:
        raise BadSimilarity(value=value)
    return value


def _record(document: TextDocument) -> TextRecord:
    return TextRecord(
        name=document.name, title=document.title, published=document.published, chars=len(document.text)
    )


@contextmanager
def _rows(path: Path | None) -> Iterator[Callable[[Sequence[object]], object]]:
    """Open the output table, if the user requested one, and yield the function that writes a row."""
    if path is None:
        yield lambda _row: None
        return
    with open_output(path) as file:
        file.write(BYTE_ORDER_MARK)
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        yield lambda row: writer.writerow([cell(value) for value in row])


def _show_all(search: Deduplication, write: Callable[[Sequence[object]], object], *, as_json: bool) -> int:
    """Print the groups and write their rows; return the number of groups."""
    count = 0
    with progress() as bar:
        task = bar.add_task(_("Comparing candidates"), total=None)
        groups = search.groups(
            report=lambda completed, total: bar.update(task, completed=completed, total=total)
        )
        for count, group in enumerate(groups, 1):
            _show(count, group, as_json=as_json)
            for member in group.members:
                write((count, *_row(member)))
    return count


def _row(member: Member) -> tuple[object, ...]:
    text, similarity = member.text, round(member.similarity, 4)
    return text.name, text.title, text.published, text.chars, similarity, int(member.earliest)


def _show(number: int, group: Group, *, as_json: bool) -> None:
    if as_json:
        print_json_line({"group": number, "documents": [_as_object(member) for member in group.members]})
        return
    print_result(_("Group {number}: {count} texts").format(number=number, count=len(group.members)))
    for member in group.members:
        print_result("  " + _line(member))


def _as_object(member: Member) -> dict[str, object]:
    fields = "input=name title published chars similarity earliest"
    similarity = round(member.similarity, 4)
    return object_of(member.text, fields, similarity=similarity, earliest=member.earliest)


def _line(member: Member) -> str:
    text = member.text
    facts = [
        f"{member.similarity:.0%}",
        _("{chars} characters").format(chars=text.chars),
        *([str(text.published)] if text.published else []),
        *([_("earliest")] if member.earliest else []),
    ]
    title = " ".join(text.title.split())
    return f"{text.name} {title} ({', '.join(facts)})"


def _conclude(search: Deduplication, groups: int) -> None:
    """Print how many texts were read, and where the search was incomplete."""
    print_progress(
        _("Texts: {texts}; groups of near-duplicates: {groups}.").format(texts=len(search), groups=groups)
    )
    if search.without_keys:
        print_progress(
            ngettext(
                "{count} text is too short for this method and was not compared.",
                "{count} texts are too short for this method and were not compared.",
                search.without_keys,
            ).format(count=search.without_keys)
        )
    if search.crowded:
        print_progress(
            _(
                "{count} fingerprints are shared by more than {reach} texts; by them alone, texts were "
                "compared only with the next {reach}."
            ).format(count=search.crowded, reach=REACH)
        )
