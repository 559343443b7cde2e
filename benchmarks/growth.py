"""Growth of query time, memory and chance candidates with the mother corpus, for pindna and MinHash peers.

pindna's index is measured in memory and in a separate Redis server. The indexes of all sizes exist at the
same time and are queried in turn with the same pages, so other load affects all of them equally.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median

from support.changed.corpora import Material, first_passages
from support.changed.texts import PAGE_CHARS, Passage
from support.faults.server import redis_server

from benchmarks.finders import Finder
from benchmarks.index_memory import POSTINGS_CHAR
from benchmarks.speed import build_index, speed_ratio, time_interleaved
from benchmarks.tracker_search import WindowFinder
from fingerprint.text.letters import to_letters
from storage.index.buckets import bits_for
from storage.index.interface import PassageFingerprints
from storage.index.redis_index import RedisIndex
from storage.servers.redis_client import Client
from system.batches import batched
from tracker.comparison.matching import find_candidates
from tracker.indexing.params import DEFAULT_PARAMS

_BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthFigures:
    """Figures of a method for a corpus of one size.

    Attributes:
        method: name of the method, with the location of its index.
        chars: number of characters of the corpus.
        build_s: seconds to fingerprint and index the corpus.
        bytes_char: bytes of the index per character; approximate for peers.
        copy_ms, other_ms: median milliseconds to look up a page that is a copy, or that is not.
        copy_times, other_times: these times divided by the time for the smallest corpus; medians over rounds.
        chance: mean number of passages found for a page that copies nothing.
    """

    method: str
    chars: int
    build_s: float
    bytes_char: float
    copy_ms: float
    other_ms: float
    copy_times: float
    other_times: float
    chance: float


@dataclass(frozen=True, slots=True)
class _BuiltIndex:
    method: str
    chars: int
    build_s: float
    size_bytes: int
    find: Callable[[str], set[int]]


def measure(
    material: Material,
    sizes: Sequence[int],
    peers: Callable[[], Sequence[Finder]],
    *,
    rounds: int,
    peer_chars: int,
) -> list[GrowthFigures]:
    """Return the figures of every method at every size.

    Args:
        material: a corpus that is at least as large as the largest size.
        sizes: sizes of the corpora in characters, ascending.
        peers: function that returns the peers with empty indexes.
        rounds: number of rounds of the interleaved timing.
        peer_chars: maximum size for which the peers are measured.
    """
    copies = [page.text for page in material.questions if len(page.text) == PAGE_CHARS]
    clean_pages = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS] or copies
    corpora = [first_passages(material.passages, size) for size in sizes]
    with redis_server() as client:
        indexes = [_build_in_memory(corpus) for corpus in corpora]
        indexes += [_build_in_redis(corpus, client) for corpus in corpora]
        for corpus, size in zip(corpora, sizes, strict=True):
            if size <= peer_chars:
                indexes += [_build_peer(peer, corpus) for peer in peers()]
        functions = [index.find for index in indexes]
        on_copies = time_interleaved(functions, copies, rounds=rounds)
        on_others = time_interleaved(functions, clean_pages, rounds=rounds)
        chance = [mean(len(index.find(page)) for page in clean_pages) for index in indexes]
    first = {index.method: row for row, index in reversed(list(enumerate(indexes)))}
    return [
        GrowthFigures(
            method=index.method,
            chars=index.chars,
            build_s=index.build_s,
            bytes_char=index.size_bytes / index.chars,
            copy_ms=median(on_copies[row]) * 1000,
            other_ms=median(on_others[row]) * 1000,
            copy_times=speed_ratio(on_copies[row], on_copies[first[index.method]]),
            other_times=speed_ratio(on_others[row], on_others[first[index.method]]),
            chance=chance[row],
        )
        for row, index in enumerate(indexes)
    ]


def _count_characters(corpus: Sequence[Passage]) -> int:
    return sum(len(passage.text) for passage in corpus)


def _build_in_memory(corpus: Sequence[Passage]) -> _BuiltIndex:
    finder = WindowFinder()
    built = build_index(finder, corpus)
    return _BuiltIndex(
        "default, in memory", _count_characters(corpus), built.seconds, built.size_bytes, finder.find
    )


def _build_peer(peer: Finder, corpus: Sequence[Passage]) -> _BuiltIndex:
    built = build_index(peer, corpus)
    return _BuiltIndex(peer.name, _count_characters(corpus), built.seconds, built.size_bytes, peer.find)


def _build_in_redis(corpus: Sequence[Passage], client: Client) -> _BuiltIndex:
    """Index a corpus in Redis; the size of the index is the growth of the server's memory.

    The index has as many buckets as a rebuild creates for a corpus of this size.
    """
    params = DEFAULT_PARAMS.params_ids
    bits = bits_for(int(_count_characters(corpus) * POSTINGS_CHAR), len(params))
    index = RedisIndex.create(client, params, corpus="benchmark", bits=bits)
    before, start = index.statistics().memory_bytes, time.perf_counter()
    for batch in _batches(corpus):
        index.add(batch)
    seconds = time.perf_counter() - start
    size_bytes = index.statistics().memory_bytes - before

    def find(text: str) -> set[int]:
        letters = to_letters(text)
        page = DEFAULT_PARAMS.of_page(letters)
        candidates = find_candidates(page, index, DEFAULT_PARAMS, letters=len(letters)).ranked
        return {candidate.passage_id for candidate in candidates}

    return _BuiltIndex("default, in Redis", _count_characters(corpus), seconds, size_bytes, find)


def _batches(corpus: Sequence[Passage]) -> Iterator[list[PassageFingerprints]]:
    for batch in batched(corpus, _BATCH):
        yield [
            PassageFingerprints(passage.id, DEFAULT_PARAMS.of_passage(to_letters(passage.text)))
            for passage in batch
        ]
