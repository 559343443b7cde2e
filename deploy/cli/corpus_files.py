"""Files to stored works: read in batches and counted; what cannot be used is reported."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from analysis.i18n import gettext as _
from deploy.cli.asking import choose
from deploy.cli.console import can_ask, print_error, print_progress, progress
from deploy.cli.outcomes import Tally
from storage.errors import PindnaError
from storage.local_files import readable
from storage.records import Work, zone_of
from storage.settings import TrackerSettings
from tracker.corpus.editions import spread_licences
from tracker.corpus.loading import Licence, store_works
from tracker.corpus.numbered import NumberedFiles, numbered_error, numbered_folders, read_chapters
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.texts import NoTexts, UnreadFiles, text_files
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

Numbered = Literal["works", "chapters"]

_BATCH_WORKS = 1_000
_BATCH_CHARACTERS = 3_000_000


@dataclass(slots=True)
class Added:
    """What became of the files.

    Attributes:
        counts: of works by what happened to them; ``skipped`` are files, and lines of .jsonl files.
        new: the works that were not there before.
        unread: the files whose form is not read, by folder.
    """

    counts: dict[str, int] = field(
        default_factory=lambda: {"new": 0, "changed": 0, "unchanged": 0, "skipped": 0}
    )
    new: list[Work] = field(default_factory=list)
    unread: list[UnreadFiles] = field(default_factory=list)


def add_works(
    paths: list[Path],
    runtime: Runtime,
    licence: Licence,
    tally: Tally,
    *,
    numbered: Numbered | None = None,
) -> Added:
    """Store the works of some paths; files that cannot be used are reported and skipped.

    Args:
        paths: files and folders.
        runtime: the stores.
        licence: what the rights holder says of them.
        tally: takes note of each work, and of what could not be used.
        numbered: what files named by numbers are; None: ask.
    """
    added = Added()
    files = _settle_numbers(list(text_files(paths)), numbered)
    with progress() as bar:
        tracked = bar.track(files, description=_("Loading files"))
        for batch in _batches(tracked, runtime.settings.tracker):
            _store(batch, runtime, licence, tally, added)
    return added


def _settle_numbers(
    files: list[Path | PindnaError], numbered: Numbered | None
) -> list[Path | PindnaError | list[Path]]:
    """Return the files, those that are the chapters of one work together."""
    if numbered == "works":
        return [*files]
    folders = numbered_folders(files)
    together = {path for texts in folders.values() for path in texts}
    items: list[Path | PindnaError | list[Path]] = [path for path in files if path not in together]
    for folder, texts in folders.items():
        way = numbered or _ask_about(folder, texts)
        if way == "works":
            items += texts
        else:
            items.append(texts if way == "chapters" else numbered_error(folder, texts))
    return items


def _ask_about(folder: Path, texts: list[Path]) -> str:
    """Return what the numbered files of a folder are; empty where nobody says so."""
    if not can_ask():
        return ""
    line = _("{folder}: {count} files are named by numbers alone, such as {name}.")
    print_progress(line.format(folder=readable(folder), count=len(texts), name=readable(texts[0].name)))
    answers = {"c": _("they are the chapters of one work"), "w": _("each is a work of its own")}
    answer = choose(_("c, w, or Enter to skip them:"), answers, options="--numbered")
    return {"c": "chapters", "w": "works"}.get(answer, "")


def _store(
    batch: list[RawWork | PindnaError], runtime: Runtime, licence: Licence, tally: Tally, added: Added
) -> None:
    """Store a batch; workers begin while the next files are read."""
    raws = [raw for raw in batch if not isinstance(raw, PindnaError)]
    stored = iter(store_works(raws, runtime.stores, runtime.guard.live(), licence=licence))
    for raw in batch:
        outcome = raw if isinstance(raw, PindnaError) else next(stored)
        for remark in _remarks(raw, outcome):
            tally.note(remark)
        if isinstance(outcome, tuple):
            tally.done += 1
            _note_work(*outcome, runtime, licence, added)
        else:
            _note_skipped(outcome, added)
    if raws:
        dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send)


def _note_skipped(error: PindnaError, added: Added) -> None:
    """Count the files that an error is about; those of a folder without texts are counted already."""
    added.counts["skipped"] += _files_of(error, added.unread)
    if isinstance(error, UnreadFiles):
        added.unread.append(error)


def _files_of(error: PindnaError, unread: Iterable[UnreadFiles]) -> int:
    count = error.data.get("count")
    if isinstance(error, UnreadFiles | NumberedFiles) and isinstance(count, int):
        return count
    is_told = any(other.data["path"] == error.data.get("path") for other in unread)
    return 0 if isinstance(error, NoTexts) and is_told else 1


def _note_work(what: str, work: Work, runtime: Runtime, licence: Licence, added: Added) -> None:
    added.counts[what] += 1
    if what == "new":
        added.new.append(work)
    elif licence.sites:
        spread_licences(work, runtime.stores)


def _remarks(raw: RawWork | PindnaError, outcome: object) -> Iterator[PindnaError]:
    """Print and yield what could not be used of a work, or why it was skipped; unread files wait."""
    remarks = [*(raw.remarks if isinstance(raw, RawWork) else ())]
    remarks += [outcome] if isinstance(outcome, PindnaError) else []
    for remark in remarks:
        if not isinstance(remark, UnreadFiles):
            print_error(remark)
        yield remark


def _batches(
    files: Iterable[Path | PindnaError | list[Path]], rules: TrackerSettings
) -> Iterator[list[RawWork | PindnaError]]:
    """Yield the works of the files in batches that are stored quickly and fit a message."""
    batch: list[RawWork | PindnaError] = []
    characters = 0
    for item in files:
        for raw in _read(item, rules):
            batch.append(raw)
            characters += 0 if isinstance(raw, PindnaError) else sum(len(part.text) for part in raw.sections)
            if characters > _BATCH_CHARACTERS or len(batch) == _BATCH_WORKS:
                yield batch
                batch, characters = [], 0
    if batch:
        yield batch


def _read(item: Path | PindnaError | list[Path], rules: TrackerSettings) -> Iterable[RawWork | PindnaError]:
    """Return the works of a file, of files that are one work, or an error as it is."""
    if isinstance(item, PindnaError):
        return [item]
    if isinstance(item, list):
        return read_chapters(item[0].parent, item, max_bytes=rules.max_file_bytes)
    return read_works(item, max_bytes=rules.max_file_bytes, zone=zone_of(rules.timezone))
