"""Read files and store them as works, in batches; files that cannot be used are reported."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions import loading
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from deploy.cli.asking import choose
from deploy.cli.console import can_ask, print_error, print_progress, progress
from deploy.cli.outcomes import Tally
from deploy.cli.reading_rules import reading_rules
from storage.records import Work
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.archives import UnsafeMembers
from tracker.corpus.forms import Rules
from tracker.corpus.layout import (
    DEFAULT_LAYOUT,
    REMARKS,
    JoinedBy,
    LayoutOptions,
    Numbered,
    NumberedFiles,
    Unit,
    units_of,
)
from tracker.corpus.loading import Terms
from tracker.corpus.reading import RawWork, read_unit
from tracker.corpus.texts import NoTexts, UnreadFiles
from tracker.corpus.tree import TextFile
from tracker.runtime import Runtime

_BATCH_WORKS = 1_000
_BATCH_CHARACTERS = 3_000_000


@dataclass(slots=True)
class Added:
    """The numbers of added, changed and skipped works.

    Attributes:
        counts: of works by what happened to them; ``skipped`` are files, and lines of .jsonl files.
        new: the works that were not there before.
        unread: the files whose form is not read, by folder.
        joined: title, number of files and reason for each work of several files.
        alone: number of works of one file each.
    """

    counts: dict[str, int] = field(
        default_factory=lambda: {"new": 0, "changed": 0, "unchanged": 0, "skipped": 0}
    )
    new: list[Work] = field(default_factory=list)
    unread: list[UnreadFiles] = field(default_factory=list)
    joined: list[tuple[str, int, JoinedBy]] = field(default_factory=list)
    alone: int = 0

    def count_files(self, raw: RawWork) -> None:
        """Count how many files became a work, and why."""
        if raw.joined_by is None:
            self.alone += 1
        else:
            self.joined.append((raw.title, raw.files, raw.joined_by))


def add_works(
    identity: Identity,
    paths: list[Path],
    runtime: Runtime,
    terms: Terms,
    tally: Tally,
    *,
    options: LayoutOptions = DEFAULT_LAYOUT,
) -> Added:
    """Store the works in files and folders; files that cannot be used are reported and skipped.

    Args:
        identity: adds them.
        paths: files, archives and folders.
        runtime: the stores.
        terms: what the rights holder says of them.
        tally: takes note of each work, and of what could not be used.
        options: which files are works, as far as the user says it; else it is asked.
    """
    added = Added()
    rules = reading_rules(runtime.settings.tracker)
    units = list(units_of(paths, rules, replace(options, ask=_ask_about, notice=_tell)))
    load = loading.new_load()
    with progress() as bar:
        tracked = bar.track(units, description=_("Loading files"))
        for batch in _batches(tracked, rules):
            _store(identity, batch, runtime, added, terms=terms, tally=tally, load=load)
    return added


def _ask_about(folder: Path, texts: Sequence[TextFile]) -> Numbered | Literal["skip"] | None:
    """Ask whether the numbered files of a folder are chapters or works; None without a terminal."""
    if not can_ask():
        return None
    line = _("{folder}: {count} files are numbered, such as {name}.")
    print_progress(line.format(folder=readable(folder), count=len(texts), name=texts[0].parts[-1]))
    answers = {"c": _("they are the chapters of one work"), "w": _("each is a separate work")}
    answer = choose(_("c, w, or Enter to skip them:"), answers, options="--as-one, --separate")
    chosen: dict[str, Numbered] = {"c": "chapters", "w": "works"}
    return chosen.get(answer, "skip")


def _store(
    identity: Identity,
    batch: list[RawWork | PindnaError],
    runtime: Runtime,
    added: Added,
    *,
    terms: Terms,
    tally: Tally,
    load: str,
) -> None:
    """Store a batch of works; workers index it while the next files are read."""
    raws = [raw for raw in batch if not isinstance(raw, PindnaError)]
    stored = iter(loading.add_works(identity, runtime, raws, terms, report=_tell, load=load))
    for raw in batch:
        outcome = raw if isinstance(raw, PindnaError) else next(stored)
        for remark in _remarks(raw, outcome):
            tally.note(remark)
        if isinstance(outcome, tuple):
            tally.used += 1
            what, work = outcome
            if isinstance(raw, RawWork):
                added.count_files(raw)
            added.counts[what] += 1
            added.new += [work] if what == "new" else []
        else:
            _note_skipped(outcome, added)


def _tell(remark: PindnaError) -> None:
    """Print what happened to a work without an error."""
    print_progress(translator().error(remark))


def _note_skipped(error: PindnaError, added: Added) -> None:
    """Count the files that an error concerns; files of a folder without texts are counted already."""
    added.counts["skipped"] += _files_of(error, added.unread)
    if isinstance(error, UnreadFiles):
        added.unread.append(error)


def _files_of(error: PindnaError, unread: Iterable[UnreadFiles]) -> int:
    count = error.data.get("count")
    if isinstance(error, UnreadFiles | NumberedFiles | UnsafeMembers) and isinstance(count, int):
        return count
    if isinstance(error, REMARKS):
        return 0
    is_told = any(other.data["path"] == error.data.get("path") for other in unread)
    return 0 if isinstance(error, NoTexts) and is_told else 1


def _remarks(raw: RawWork | PindnaError, outcome: object) -> Iterator[PindnaError]:
    """Print and yield the remarks about a work: unusable parts, or why it was skipped."""
    remarks = [*(raw.remarks if isinstance(raw, RawWork) else ())]
    remarks += [outcome] if isinstance(outcome, PindnaError) else []
    for remark in remarks:
        if not isinstance(remark, UnreadFiles):
            print_error(remark)
        yield remark


def _batches(units: Iterable[Unit | PindnaError], rules: Rules) -> Iterator[list[RawWork | PindnaError]]:
    """Yield the works of the files in batches small enough to be stored quickly and to fit a message."""
    batch: list[RawWork | PindnaError] = []
    characters = 0
    for unit in units:
        for raw in read_unit(unit, rules):
            batch.append(raw)
            characters += (
                0 if isinstance(raw, PindnaError) else sum(len(section.text) for section in raw.sections)
            )
            if characters > _BATCH_CHARACTERS or len(batch) == _BATCH_WORKS:
                yield batch
                batch, characters = [], 0
    if batch:
        yield batch
