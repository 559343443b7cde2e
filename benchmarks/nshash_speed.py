"""nshash over 17,400 documents: what its author published is 1.6 s in memory and 2.5 s on LevelDB.

The documents have the lengths of news articles and are real text: news articles first, then pieces of novels
as long as those. Timed is everything from text to the group of each document.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from support.changed.corpora import Material

from fingerprint.nshash import Groups, LongestSentences
from fingerprint.text.views import Views

DOCUMENTS = 17_400
_NEWS_CHARS = 1_000  # where there are no articles to take lengths from


@dataclass(frozen=True, slots=True, kw_only=True)
class NshashRun:
    """One run.

    Attributes:
        store: where the digests were.
        documents, chars: how much was grouped.
        seconds: from texts to groups.
        groups: distinct groups.
    """

    store: str
    documents: int
    chars: int
    seconds: float
    groups: int


def documents(material: Material, count: int = DOCUMENTS) -> list[str]:
    """Return real texts of the lengths of news; fewer when the material is small.

    Args:
        material: the texts.
        count: how many at most.
    """
    news = [passage.text for passage in material.passages if passage.source.kind == "news"]
    lengths = cycle([len(text) for text in news] or [_NEWS_CHARS])
    novels = "".join(passage.text for passage in material.passages if passage.source.kind == "novel")
    return list(islice([*news, *_pieces(novels, lengths)], count))


def _pieces(text: str, lengths: Iterator[int]) -> Iterator[str]:
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
        groups=len(set(groups.current(ids))),
    )
