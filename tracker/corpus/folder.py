"""A folder as a mother corpus in memory: ``pindna check --corpus DIR``, no services needed.

DIR holds ``WORK.txt`` files, split into chapters, or folders ``WORK/NAME.txt``, each file one passage; also
.jsonl files as ``pindna corpus add`` takes them.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo
from itertools import count
from pathlib import Path

from fingerprint.exact import content_hash
from fingerprint.text.letters import to_letters
from storage.errors import PindnaError
from storage.index.interface import PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.local_files import MAX_FILE_BYTES, MissingFile, UnreadableFile, readable
from storage.memory import MemoryPassages, MemoryWorks
from storage.records import CHINA, Passage, Work, WorkKind, WorkRole
from tracker.comparison import Corpus
from tracker.corpus.chapters import MAX_CHARS, Section, split_passages
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.texts import SUFFIXES, NoTexts, NotFolder, is_text, read_text, unread_files
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams


def read_folder(
    folder: Path, *, max_bytes: int = MAX_FILE_BYTES, zone: tzinfo = CHINA
) -> Iterator[RawWork | PindnaError]:
    """Yield the works of a folder, or an error in the place of a file that cannot be used.

    Args:
        folder: as the module says.
        max_bytes: refuse longer texts.
        zone: of dates that name none.

    Raises:
        MissingFile, NotFolder, UnreadableFile: what is wrong with the folder.
        NoTexts: it holds nothing to compare with.
    """
    entries = _entries(folder)
    folders = [entry for entry in entries if os.path.isdir(entry)]  # noqa: PTH112 - never raises
    works = [entry for entry in entries if entry not in folders and is_text(entry)]
    has_texts = bool(works)
    for path in works:
        yield from read_works(path, max_bytes=max_bytes, zone=zone)
    for path in folders:
        try:
            inside = [entry for entry in _entries(path) if entry.is_file()]
            passages = [entry for entry in inside if entry.suffix.lower() == ".txt"]
        except PindnaError as error:
            has_texts = True
            yield error
            continue
        has_texts = has_texts or bool(passages)
        yield from read_parts(path, passages, max_bytes)
        if (unread := unread_files(path, inside, (".txt",))) is not None:
            yield unread
    if (unread := unread_files(folder, (entry for entry in entries if entry not in folders))) is not None:
        yield unread
    if not has_texts:
        raise NoTexts(path=readable(folder), endings=", ".join(SUFFIXES))


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, in order.

    Raises:
        MissingFile, NotFolder, UnreadableFile: what is wrong with the folder.
    """
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError as error:
        raise MissingFile(path=readable(folder)) from error
    except NotADirectoryError as error:
        raise NotFolder(path=readable(folder)) from error
    except OSError as error:
        raise UnreadableFile(path=readable(folder), problem=error.strerror or str(error)) from error


def read_parts(folder: Path, files: Iterable[Path], max_bytes: int) -> Iterator[RawWork | PindnaError]:
    """Yield one work whose passages are the files of a folder, after errors of files that are none."""
    sections: list[Section] = []
    for path in files:
        try:
            text = read_text(path, max_bytes=max_bytes)
        except PindnaError as error:
            yield error
            continue
        name = readable(path.stem)
        if len(text) <= MAX_CHARS:
            sections.append(Section(name, text))
        else:
            sections += [
                Section(f"{name} {section.title}".strip(), section.text) for section in split_passages(text)
            ]
    if sections:
        kind: WorkKind = "novel" if len(sections) > 1 else "news"
        origin = readable(folder)
        yield RawWork(title=readable(folder.name), kind=kind, origin=origin, sections=tuple(sections))


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
        background: likewise, of texts that are nobody's.
        report: told of each file, and of each date, that cannot be used.
        params: the fingerprints to compute.
    """
    stored, passages, index = MemoryWorks(), MemoryPassages(), MemoryIndex()
    ids = count(1)
    sets: list[tuple[WorkRole, Iterable[RawWork | PindnaError]]]
    sets = [("background", background), ("protected", works)]  # of capped postings the first count
    every = ((role, raw) for role, raws in sets for raw in raws)
    for work_id, (role, raw) in enumerate(every, 1):
        if isinstance(raw, PindnaError):
            report(raw)
            continue
        for remark in raw.remarks:
            report(remark)
        own = [
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
        stored.save(
            Work(
                id=work_id,
                key=raw.key,
                title=raw.title,
                kind=raw.kind,
                origin=raw.origin,
                author=raw.author,
                url=raw.url,
                published=raw.published,
                role=role,
                passage_ids=tuple(passage.id for passage in own),
            )
        )
        passages.save_many(own)
        index.add([PassageFingerprints(p.id, params.of_passage(to_letters(p.text))) for p in own])
    return Corpus(stored, passages, index, params)
