"""A folder as a mother corpus in memory: ``pindna check --corpus DIR``, no services needed.

DIR holds ``WORK.txt`` files, split into chapters, or folders ``WORK/NAME.txt``, each file one passage; also
.jsonl files as ``pindna corpus add`` takes them.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

from fingerprint.exact import content_hash
from fingerprint.letters import to_letters
from storage.errors import PindnaError
from storage.index.interface import PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.memory import MemoryPassages, MemoryWorks
from storage.records import Passage, Work, WorkKind
from tracker.comparison import Corpus
from tracker.corpus.chapters import MAX_CHARS, Section, split
from tracker.corpus.reading import MissingFile, NoTexts, RawWork, is_text, read_text, read_works
from tracker.methods import DEFAULT_METHODS, Methods


def read_folder(folder: Path) -> Iterator[RawWork | PindnaError]:
    """Yield the works of a folder, or an error in the place of a file that cannot be used.

    Raises:
        MissingFile: there is no such folder.
        NoTexts: it holds nothing to compare with.
    """
    if not folder.is_dir():
        raise MissingFile(path=folder)
    entries = sorted(folder.iterdir())
    files = [each for each in entries if is_text(each)]
    parts = {
        each: sorted(part for part in each.iterdir() if part.suffix.lower() == ".txt")
        for each in entries
        if each.is_dir()
    }
    if not files and not any(parts.values()):
        raise NoTexts(path=folder)
    for path in files:
        yield from read_works(path)
    for path, passages in parts.items():
        if passages:
            yield from _read_parts(path, passages)


def _read_parts(folder: Path, files: Iterable[Path]) -> Iterator[RawWork | PindnaError]:
    """Yield one work whose passages are the files of a folder, after errors of files that are none."""
    sections: list[Section] = []
    for path in files:
        try:
            text = read_text(path)
        except PindnaError as error:
            yield error
            continue
        if len(text) <= MAX_CHARS:
            sections.append(Section(path.stem, text))
        else:
            sections += [Section(f"{path.stem} {each.title}".strip(), each.text) for each in split(text)]
    if sections:
        kind: WorkKind = "novel" if len(sections) > 1 else "news"
        yield RawWork(title=folder.name, kind=kind, origin=str(folder), sections=tuple(sections))


def load_folder(
    works: Iterable[RawWork | PindnaError],
    *,
    report: Callable[[PindnaError], None],
    methods: Methods = DEFAULT_METHODS,
) -> Corpus:
    """Return a corpus in memory.

    Args:
        works: from :func:`read_folder`.
        report: told of each file that cannot be used.
        methods: the fingerprints to compute.
    """
    stored, passages, index = MemoryWorks(), MemoryPassages(), MemoryIndex()
    ids = count(1)
    for work_id, raw in enumerate(works, 1):
        if isinstance(raw, PindnaError):
            report(raw)
            continue
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
                passage_ids=tuple(passage.id for passage in own),
            )
        )
        passages.save_many(own)
        index.add([PassageFingerprints(p.id, methods.of_passage(to_letters(p.text))) for p in own])
    return Corpus(stored, passages, index, methods)
