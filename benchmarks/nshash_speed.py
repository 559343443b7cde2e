"""nshash over 17,400 documents: its author published 1.6 s in memory and 2.5 s on LevelDB.

The documents are real texts with the lengths of news articles: news articles first, then pieces of novels of
the same lengths. The time covers everything from text to each document's group.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from support.changed.corpora import Material

from fingerprint.nshash import Groups, LongestSentences
from fingerprint.text.views import Views

DOCUMENTS = 17_400
_NEWS_CHARS = 1_000  # default length without news articles


@dataclass(frozen=True, slots=True, kw_only=True)
class NshashRun:
    """One run.

    Attributes:
        store: location of the digests.
        documents, chars: amount of text.
        seconds: from texts to groups.
        groups: distinct groups.
    """

    store: str
    documents: int
    chars: int
    seconds: float
    groups: int


def make_documents(material: Material, count: int = DOCUMENTS) -> list[str]:
    """Return real texts with the lengths of news; fewer if the material is small.

    Args:
        material: the texts.
        count: maximum number of texts.
    """
    news = [passage.text for passage in material.passages if passage.source.kind == "news"]
    lengths = cycle([len(text) for text in news] or [_NEWS_CHARS])
    novels = "".join(passage.text for passage in material.passages if passage.source.kind == "novel")
    return list(islice([*news, *_cut_pieces(novels, lengths)], count))


def _cut_pieces(text: str, lengths: Iterator[int]) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + max(1, next(lengths))
        yield text[start:end]
        start = end


def measure(texts: Sequence[str], groups: Groups, *, store: str) -> NshashRun:
    """Group texts by their five longest sentences.

    Args:
        texts: the documents.
        groups: an empty store.
        store: its name, for tables.
    """
    method = LongestSentences()
    start = time.perf_counter()
    ids = groups.group([method.fingerprint(Views(text)) for text in texts])
    seconds = time.perf_counter() - start
    return NshashRun(
        store=store,
        documents=len(texts),
        chars=sum(map(len, texts)),
        seconds=seconds,
        groups=len(set(groups.current_ids(ids))),
    )
