"""A folder as a mother corpus in memory, for ``pindna check --corpus DIR`` without services.

It is read like ``pindna corpus add DIR``: see :mod:`tracker.corpus.layout`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

from fingerprint.exact import content_hash
from fingerprint.text.letters import to_letters
from storage.index.interface import PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.records import Passage, Work, WorkRole
from system.errors import PindnaError
from system.local_files import file_error, readable
from tracker.comparison import Corpus
from tracker.comparison.passages import PassageReader
from tracker.corpus.forms import DEFAULT_RULES, Rules
from tracker.corpus.layout import DEFAULT_LAYOUT, LayoutOptions, units_of
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.corpus.reading import RawWork, read_unit
from tracker.corpus.texts import NoTexts, NotFolder
from tracker.corpus.tree import is_archive
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams


def read_folder(
    folder: Path, *, rules: Rules = DEFAULT_RULES, options: LayoutOptions = DEFAULT_LAYOUT
) -> Iterator[RawWork | PindnaError]:
    """Yield the works of a folder or an archive, or an error for each file that cannot be used.

    Args:
        folder: the folder, or a zip archive.
        rules: how files are read.
        options: the user's choices.

    Raises:
        MissingFile, NotFolder, UnreadableFile: the folder cannot be read.
        NoTexts: it contains nothing to compare with.
    """
    _require_folder(folder)
    for unit in units_of([folder], rules, options):
        if isinstance(unit, NoTexts):
            raise unit
        yield from read_unit(unit, rules)


def _require_folder(folder: Path) -> None:
    """Check that a folder can be read.

    Raises:
        MissingFile, NotFolder, UnreadableFile: it cannot be read.
    """
    if is_archive(folder) and folder.is_file():
        return
    try:
        with os.scandir(folder):
            pass
    except NotADirectoryError as error:
        raise NotFolder(path=readable(folder)) from error
    except (OSError, ValueError) as error:
        raise file_error(folder, error if isinstance(error, OSError) else FileNotFoundError()) from error


def load_folder(
    works: Iterable[RawWork | PindnaError],
    *,
    background: Iterable[RawWork | PindnaError] = (),
    report: Callable[[PindnaError], None],
    params: IndexParams = DEFAULT_PARAMS,
) -> Corpus:
    """Return a corpus in memory.

    Args:
        works: from :func:`read_folder`.
        background: likewise, of background texts.
        report: called with the error of each file or date that cannot be used.
        params: the fingerprints to compute.
    """
    stored, passages, index = MemoryWorks(), MemoryPassages(), MemoryIndex()
    ids = count(1)
    sets: list[tuple[WorkRole, Iterable[RawWork | PindnaError]]]
    # background first: if a hash has too many postings, only the first count
    sets = [("background", background), ("protected", works)]
    every = ((role, raw) for role, raws in sets for raw in raws)
    for work_id, (role, raw) in enumerate(every, 1):
        if isinstance(raw, PindnaError):
            report(raw)
            continue
        for remark in raw.remarks:
            report(remark)
        owned = [
            Passage(
                id=next(ids),
                work_id=work_id,
                ordinal=ordinal,
                title=section.title,
                text=section.text,
                sha256=content_hash(section.text),
            )
            for ordinal, section in enumerate(raw.sections)
        ]
        stored.save(_work_of(raw, work_id, role, owned))
        passages.save_many(owned)
        index.add([PassageFingerprints(p.id, params.of_passage(to_letters(p.text))) for p in owned])
    return Corpus(PassageReader(stored, passages), index, params)


def _work_of(raw: RawWork, work_id: int, role: WorkRole, passages: Sequence[Passage]) -> Work:
    """Return a work as it would be stored."""
    return Work(
        id=work_id,
        key=raw.key,
        title=raw.title,
        kind=raw.kind,
        origin=raw.origin,
        author=raw.author,
        url=raw.url,
        published=raw.published,
        language=raw.language,
        rights=raw.rights,
        holder=raw.holder,
        role=role,
        passage_ids=tuple(passage.id for passage in passages),
        characters=sum(len(passage.text) for passage in passages),
    )
