"""The index in Redis: bytes per character of each method, and the time per page from text to verdict.

Each index is in a separate Redis server, so its size is the growth of that server's memory. Pages are
compared as workers do it, but with texts and works in memory. The time includes fingerprints, look-up and
verdict, and for copies the alignment. The corpora of all sizes exist at the same time and are queried in
turn, so other load affects all of them equally.

datasketch's MinHashLSH also stores its tables in a separate Redis server, as its documentation shows it. It
gets the same texts: passages cut into pages of 3,000 characters.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from support.changed.corpora import Material, first_passages
from support.changed.texts import PAGE_CHARS, Passage
from support.faults.server import redis_server

from benchmarks.tracker_search import BOTH, clear_unused_sets
from fingerprint.text.letters import to_letters
from storage.index.buckets import bits_for
from storage.index.compaction import compact
from storage.index.interface import PassageFingerprints
from storage.index.redis_index import RedisIndex
from storage.records import Passage as StoredPassage
from storage.records import Work
from storage.servers.redis_client import Client
from system.batches import batched
from tracker.comparison import ComparedText, Corpus, compare
from tracker.comparison.matching import PAGES, look_up
from tracker.comparison.passages import PassageReader
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.indexing.params import DEFAULT_PARAMS

_BATCH = 1_000
POSTINGS_CHAR = 0.3  # postings of both methods together per character
_SETTLE_S = 1.5  # Redis writes its log once a second; until then the buffer takes memory too


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSize:
    """Size of an index in a separate Redis.

    Attributes:
        method: methods in the index.
        chars: number of characters of the corpus.
        added_bytes_char: bytes per character after everything was added.
        bytes_char: bytes per character after compaction.
        build_s: seconds to fingerprint and add the corpus.
        items_s: postings or signatures added per second, without the time for fingerprinting.
    """

    method: str
    chars: int
    added_bytes_char: float
    bytes_char: float
    build_s: float
    items_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTimes:
    """Median milliseconds per page at one size of the corpus.

    Attributes:
        method: name of the method.
        chars: number of characters of the corpus.
        clean_ms: time from text to verdict for a page that copies nothing.
        batch_ms: time per page that copies nothing, in batches of a hundred.
        copy_ms: time from text to verdict for a copied page.
        times: ``clean_ms`` divided by ``clean_ms`` at the smallest size; median over rounds.
    """

    method: str
    chars: int
    clean_ms: float
    batch_ms: float
    copy_ms: float
    times: float


def measure_sizes(passages: Sequence[Passage]) -> Iterator[IndexSize]:
    """Yield the size of an index with DNA, with letter shingles, and with both."""
    chars = sum(len(passage.text) for passage in passages)
    for name, use in (("DNA", {"dna"}), ("letter shingles", {"shingle"}), ("both", BOTH)):
        with redis_server() as client:
            start = time.perf_counter()
            made = [_fingerprints(passage, frozenset(use)) for passage in passages]
            before = used_bytes(client)
            index, added_s = _build_index(client, made, chars)
            added = used_bytes(client) - before
            _compact(index)
            yield IndexSize(
                method=name,
                chars=chars,
                added_bytes_char=added / chars,
                bytes_char=(used_bytes(client) - before) / chars,
                build_s=time.perf_counter() - start - 3 * _SETTLE_S,
                items_s=sum(fingerprints.postings for fingerprints in made) / added_s,
            )


def measure_times(material: Material, chars: Sequence[int], *, rounds: int) -> list[PageTimes]:
    """Return the milliseconds per page at each size.

    Args:
        material: a corpus that is at least as large as the largest size.
        chars: the sizes in characters, ascending.
        rounds: number of rounds; in each round all corpora are queried in turn.
    """
    clean = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS]
    copies = [page.text for page in material.questions if len(page.text) == PAGE_CHARS]
    copies = copies or [page.text for page in material.questions]  # the samples have no full page
    clean = clean or copies
    corpora_passages = [first_passages(material.passages, size) for size in chars]
    with ExitStack() as servers:
        corpora = [
            _make_corpus(passages, servers.enter_context(redis_server())) for passages in corpora_passages
        ]
        alone = [
            _time_rounds(corpora, clean, rounds, _compare),
            _time_rounds(corpora, copies, rounds, _compare),
        ]
        batch = [[_batch_ms(corpus, clean) for corpus in corpora] for _ in range(rounds)]
    return [
        PageTimes(
            method="pindna",
            chars=sum(len(passage.text) for passage in passages),
            clean_ms=median(alone[0][row]),
            batch_ms=median(milliseconds[row] for milliseconds in batch),
            copy_ms=median(alone[1][row]),
            times=median(mine / first for mine, first in zip(alone[0][row], alone[0][0], strict=True)),
        )
        for row, passages in enumerate(corpora_passages)
    ]


def _compare(corpus: Corpus, text: str) -> object:
    return compare(ComparedText(text), corpus)


def _time_rounds(
    corpora: Sequence[Corpus], texts: Sequence[str], rounds: int, answer: Callable[[Corpus, str], object]
) -> list[list[float]]:
    """Return each corpus's median milliseconds per page, one value for each round."""
    rows: list[list[float]] = [[] for _ in corpora]
    for number in range(rounds):
        share = texts[number::rounds]
        for row, corpus in zip(rows, corpora, strict=True):
            milliseconds = []
            for text in share:
                start = time.perf_counter()
                answer(corpus, text)
                milliseconds.append((time.perf_counter() - start) * 1000)
            row.append(median(milliseconds))
    return rows


def _batch_ms(corpus: Corpus, texts: Sequence[str]) -> float:
    """Return the milliseconds per page if a hundred pages are looked up together, as workers do it."""
    batch = [ComparedText(texts[number % len(texts)]) for number in range(PAGES)]
    start = time.perf_counter()
    for page, candidates in zip(batch, look_up(batch, corpus), strict=True):
        compare(page, corpus, candidates=candidates)
    return (time.perf_counter() - start) * 1000 / PAGES


def _make_corpus(passages: Sequence[Passage], client: Client) -> Corpus:
    """Return a corpus with its index in Redis and its texts in memory."""
    made = (_fingerprints(passage, BOTH) for passage in passages)
    index, _ = _build_index(client, made, sum(len(passage.text) for passage in passages))
    _compact(index)
    works, texts = MemoryWorks(), MemoryPassages()
    by_work: dict[str, list[Passage]] = {}
    for passage in passages:
        by_work.setdefault(passage.source.work, []).append(passage)
    for title, work_passages in by_work.items():
        work_id = work_passages[0].id
        ids = tuple(passage.id for passage in work_passages)
        works.save(
            Work(
                id=work_id,
                key=title,
                title=title,
                kind=work_passages[0].source.kind,
                origin="",
                passage_ids=ids,
            )
        )
        texts.save_many(
            StoredPassage(id=passage.id, work_id=work_id, ordinal=0, title="", text=passage.text, sha256="")
            for passage in work_passages
        )
    return Corpus(PassageReader(works, texts), index, DEFAULT_PARAMS)


def _fingerprints(passage: Passage, use: frozenset[str]) -> PassageFingerprints:
    sets = DEFAULT_PARAMS.of_passage(to_letters(passage.text))
    return PassageFingerprints(passage.id, clear_unused_sets(sets, use, DEFAULT_PARAMS))


def _build_index(
    client: Client, made: Sequence[PassageFingerprints] | Iterator[PassageFingerprints], chars: int
) -> tuple[RedisIndex, float]:
    """Return a live index of the given passages, and the seconds to add them."""
    params = DEFAULT_PARAMS.params_ids
    bits = bits_for(int(chars * POSTINGS_CHAR), len(params))
    index = RedisIndex.create(client, params, corpus="benchmark", bits=bits)
    index.go_live()
    spent = 0.0
    for batch in batched(made, _BATCH):
        start = time.perf_counter()
        index.add(batch)
        spent += time.perf_counter() - start
    return index, spent


def _compact(index: RedisIndex) -> None:
    while compact(index).share < 1:
        pass


def used_bytes(client: Client) -> int:
    """Wait until Redis has written its log, and return the bytes that it uses."""
    time.sleep(_SETTLE_S)
    return int(client.info("memory")["used_memory"])
