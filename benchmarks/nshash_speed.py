"""Speed of nshash for 17,400 documents. Its author published 1.6 s in memory and 2.5 s with LevelDB.

The documents are news articles, followed by pieces of novels that have the same lengths. The time includes
everything from the texts to the group of each document.
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
    """Result of one run.

    Attributes:
        store: where the digests are stored.
        documents, chars: numbers of documents and characters.
        seconds: time from the texts to their groups.
        groups: number of distinct groups.
    """

    store: str
    documents: int
    chars: int
    seconds: float
    groups: int


def make_documents(material: Material, count: int = DOCUMENTS) -> list[str]:
    """Return at most ``count`` real texts with the lengths of news articles.

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
        store: name of the store for tables.
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
