"""The texts that ``dedupe`` and ``measure`` read, one after another, from files and folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from analysis.words.i18n import gettext as _
from deploy.cli.console import print_error, progress
from deploy.cli.outcomes import Tally, as_error
from deploy.cli.reading_rules import reading_rules
from storage.records import ClaimedDate
from storage.settings import load_settings
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.forms import PAGES, ROWS
from tracker.corpus.openings import content_of
from tracker.corpus.reading import rows_of
from tracker.corpus.tree import TextFile, files_below

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH…", help=_("Texts, saved pages, .jsonl files, folders."))
]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDocument:
    """One text, from a file or from a line of a .jsonl file.

    Attributes:
        name: path, with the number of the line behind a colon.
        published: the date that it bears, if known.
    """

    name: str
    text: str
    title: str = ""
    published: ClaimedDate | None = None


class WouldOverwrite(PindnaError):
    """The output file is one of the input files. Data: ``path``."""

    template = "{path} is one of the files to read and would be overwritten. Choose another file to write."


class DocumentReader:
    """Reads documents with a progress bar, and reports files that cannot be read.

    Args:
        output: the file that will be written.

    Attributes:
        tally: what became of the documents.
    """

    def __init__(self, output: Path | None = None) -> None:
        self.tally = Tally()
        self._output = output
        self._rules = reading_rules(load_settings().tracker)

    def documents(self, paths: Iterable[Path], description: str) -> Iterator[TextDocument]:
        """Yield every document in files and folders.

        Args:
            paths: files in the forms of :mod:`tracker.corpus.forms`, archives and folders of them.
            description: what the progress bar says.

        Raises:
            WouldOverwrite: the output is one of the files.
        """
        files = self._files(paths)
        sizes = [_size(file) for file in files]
        with progress(in_bytes=True) as bar:
            task = bar.add_task(description, total=sum(sizes))
            for file, before, size in zip(files, accumulate(sizes, initial=0), sizes, strict=False):
                for document, read in self._of_file(file):
                    bar.update(task, completed=before + read)
                    self.tally.used += 1
                    yield document
                bar.update(task, completed=before + size)

    def _files(self, paths: Iterable[Path]) -> list[TextFile]:
        """Return the files, without repetitions."""
        below = files_below(paths, self._rules)
        files = {file.path.resolve(): file for file in self._without_errors(below)}
        if self._output is not None and self._output.resolve() in files:
            raise WouldOverwrite(path=readable(self._output))
        return list(files.values())

    def _of_file(self, file: TextFile) -> Iterator[tuple[TextDocument, int]]:
        """Yield the documents of a file, each with the number of bytes that were read so far."""
        name = readable(file.path)
        try:
            if file.suffix in ROWS:
                for row in self._without_errors(rows_of(file, self._rules, needs_title=False)):
                    line = f"{name}:{row.number}"
                    for remark in row.remarks:
                        self._report(remark)
                    document = TextDocument(
                        name=line, text=row.text, title=row.title, published=row.published
                    )
                    yield document, row.read_bytes
                return
            content = content_of(file, self._rules)
        except Exception as error:  # noqa: BLE001 - one file that ends in a bug must not hide the others
            self._report(as_error(error))
            return
        for remark in content.remarks:
            self._report(remark)
        metadata = content.metadata
        title = file.stem if file.suffix in PAGES else metadata.title or file.stem
        yield TextDocument(name=name, text=content.text, title=title, published=metadata.published), 0

    def _without_errors(self, results: Iterable[T | PindnaError]) -> Iterator[T]:
        """Yield those results that are not errors, and report the errors."""
        for result in results:
            if isinstance(result, PindnaError):
                self._report(result)
            else:
                yield result

    def _report(self, error: PindnaError) -> None:
        self.tally.note(error)
        print_error(error)


def _size(file: TextFile) -> int:
    """Return the size of a file for the progress bar. A missing file is reported later, when it is read."""
    if file.member is not None:
        return file.member.entry.file_size
    try:
        return file.path.stat().st_size
    except OSError:
        return 0
