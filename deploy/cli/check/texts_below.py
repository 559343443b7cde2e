"""The texts that ``check`` compares: single inputs, and all texts in folders, archives or .jsonl files."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from analysis.words.labels import PAGE_IMPORTS
from crawler.pages.captured import UNREADABLE, CapturedPage, checked
from crawler.pages.captured_documents import captured_form_of, read_captured
from deploy.cli.inputs import Raw, captured_raw, is_address, read_input
from storage.records import CapturedForm, utc_now
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.forms import ROWS, Rules
from tracker.corpus.reading import rows_of
from tracker.corpus.rows import WorkRow
from tracker.corpus.tree import TextFile, is_tree, tree_below


class UnreadableRecord(PindnaError):
    """A record of a file with captured pages cannot be read. Data: ``path``, ``problem``."""

    template = "{path} was not compared: {problem}."


class NoPageInside(PindnaError):
    """A file with captured pages contains no page. Data: ``path``."""

    template = "{path} was not compared: it contains no page with status 200."


@dataclass(frozen=True, slots=True)
class Input:
    """An input: a file, an address or a row of a .jsonl file.

    Attributes:
        name: as the user wrote it, or where it is below that.
        file: of a folder or an archive; None: it is read by its name.
        row: of a .jsonl file, instead of a file.
        page: of a file with captured pages, instead of a file.
        error: why there is nothing to compare.
    """

    name: str
    file: TextFile | None = None
    row: WorkRow | None = None
    page: CapturedPage | None = None
    error: PindnaError | None = None

    def raw(self, max_bytes: int, *, render: bool = False) -> Raw:
        """Return the bytes of an input that is not a row.

        Args:
            max_bytes: refuse a longer file.
            render: show an address in a browser; files are read as they are.

        Raises:
            PindnaError: why they cannot be had.
        """
        if self.error is not None:
            raise self.error
        if self.page is not None:
            return captured_raw(self.name, self.page)
        if self.file is None:
            is_rendered = render and is_address(self.name)
            return read_input(self.name, max_bytes=max_bytes, render=is_rendered)
        return Raw(self.name, self.file.data(max_bytes))


def inputs_below(names: Iterable[str], rules: Rules) -> Iterator[Input]:
    """Yield the inputs that names refer to, in order; for an unusable input the error is yielded instead.

    Args:
        names: files, folders, archives, addresses, or ``-`` for standard input.
        rules: how files are read.
    """
    for name in names:
        path = Path(name)
        if name == "-" or is_address(name):
            yield Input(name)
        elif is_tree(path):
            tree = tree_below(path, rules)
            for file in tree.files:
                yield from _of_file(readable(file.path), file, rules)
            for error in (*tree.problems, *tree.not_read()):
                yield Input(str(error.data.get("path", name)), error=error)
        elif path.suffix.lower() in ROWS:
            yield from _of_file(readable(name), TextFile(path, (readable(path.name),)), rules)
        elif form := _captured_form(path):
            yield from _of_captured(readable(name), path, form)
        else:
            yield Input(name)


def _captured_form(path: Path) -> CapturedForm | None:
    """Return the form of a file with captured pages; None for other files, which are read by their names."""
    try:
        form = captured_form_of(path)
    except PindnaError:  # reported when the file is read
        return None
    return None if form == "saved-page" else form


def _of_captured(name: str, path: Path, form: CapturedForm) -> Iterator[Input]:
    """Yield the pages of a file, and what of it cannot be read; pictures, scripts and styles are left out."""
    count, now = 0, utc_now()
    for record in read_captured(path, form):
        page = checked(record, now) if isinstance(record, CapturedPage) else record
        if isinstance(page, CapturedPage):
            count += 1
            yield Input(f"{name}:{page.number} {page.url}", page=page)
        elif page.reason in UNREADABLE:
            where = f"{name}:{page.number} {page.url}".strip()
            yield Input(where, error=UnreadableRecord(path=where, problem=PAGE_IMPORTS[page.reason]))
    if not count:
        yield Input(name, error=NoPageInside(path=name))


def _of_file(name: str, file: TextFile, rules: Rules) -> Iterator[Input]:
    if file.suffix not in ROWS:
        yield Input(name, file)
        return
    for row in rows_of(file, rules, needs_title=False):
        if isinstance(row, PindnaError):
            line = row.data.get("line")
            yield Input(name if line is None else f"{name}:{line}", error=row)
        else:
            yield Input(f"{name}:{row.number}", row=row)
