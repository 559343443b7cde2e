"""Mother corpora in memory, as ``pindna check --corpus`` has them, from a few texts."""

from collections.abc import Mapping, Sequence

from fingerprint.text.letters import to_letters
from storage.index.interface import PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.records import Passage, Work
from tracker.comparison.corpus import Corpus, DecisionSource
from tracker.comparison.passages import PassageReader
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.indexing.params import DEFAULT_PARAMS

# The texts of a work's passages, or these and fields of the work.
Texts = Sequence[str] | tuple[Sequence[str], Mapping[str, object]]


def corpus_of(works: Mapping[str, Texts], *, decisions: DecisionSource | None = None) -> Corpus:
    """A corpus of works by title; passages are numbered through, and passage 1 has the hash ``sha1``."""
    stored, passages, index, number = MemoryWorks(), MemoryPassages(), MemoryIndex(), 0
    for work_id, (title, parts) in enumerate(works.items(), 1):
        texts, fields = parts if isinstance(parts, tuple) else (parts, {})
        own = [
            Passage(
                id=number + n, work_id=work_id, ordinal=n - 1, title="", text=text, sha256=f"sha{number + n}"
            )
            for n, text in enumerate(texts, 1)
        ]
        number += len(own)
        ids = tuple(passage.id for passage in own)
        about = {
            "title": title,
            "kind": "novel",
            "passage_ids": ids,
            "characters": sum(map(len, texts)),
            **fields,
        }
        stored.save(Work(id=work_id, key=title, origin="", **about))
        passages.save_many(own)
        index.add(
            [
                PassageFingerprints(passage.id, DEFAULT_PARAMS.of_passage(to_letters(passage.text)))
                for passage in own
            ]
        )
    return Corpus(PassageReader(stored, passages), index, DEFAULT_PARAMS, decisions=decisions)


def untitled(*works: Texts) -> dict[str, Texts]:
    """Works whose titles do not matter."""
    return {f"书{number}": work for number, work in enumerate(works, 1)}
