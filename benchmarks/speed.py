"""Speed of all methods, which take turns in one process, so that other load affects all of them equally.

Three figures are measured for each method: documents per second from text to fingerprint; milliseconds to
look up a page in a corpus of a million characters, including its fingerprint; and characters per second to
index that corpus. The times of two methods are divided in each round; their ratio is the median over rounds.
"""

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import median

import psutil
from support.changed.texts import Passage

from benchmarks.finders import Finder, Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Speed of a method.

    Attributes:
        method, group: name and group of the method.
        documents_s: documents of 3,000 characters per second, from text to fingerprint.
        page_ms: milliseconds to look up a page.
        index_chars_s: characters per second that are indexed.
        bytes_char: bytes of the index per character of the corpus.
        times: name of a peer → this method's fingerprinting speed divided by the speed of the peer.
    """

    method: str
    group: Group
    documents_s: float
    page_ms: float
    index_chars_s: float
    bytes_char: float
    times: dict[str, float]


@dataclass(frozen=True, slots=True)
class BuildCost:
    """Cost of indexing a corpus."""

    seconds: float
    size_bytes: int


def build_index(finder: Finder, passages: Sequence[Passage]) -> BuildCost:
    """Index passages, and return the cost.

    The size is the figure that the finder reports. If it reports none, the size is the memory growth of a
    fresh process, which is approximate.
    """
    start = time.perf_counter()
    finder.add(passages)
    seconds = time.perf_counter() - start
    return BuildCost(seconds, finder.index_bytes() or _memory_growth(type(finder), passages))


def _memory_growth(make: Callable[[], Finder], passages: Sequence[Passage]) -> int:
    with get_context("spawn").Pool(1) as pool:
        grown: int = pool.apply(_measure_growth_in_this_process, (make, passages))
    return grown


def _measure_growth_in_this_process(make: Callable[[], Finder], passages: Sequence[Passage]) -> int:
    """Build an index in this process, and return the growth of its memory in bytes."""
    finder = make()
    finder.find(passages[0].text)  # loads dictionaries, which are not a part of the index
    before = int(psutil.Process().memory_info().rss)
    finder.add(passages)
    gc.collect()
    grown: int = psutil.Process().memory_info().rss - before
    return max(0, grown)


def time_interleaved(
    functions: Sequence[Callable[[str], object]], texts: Sequence[str], *, rounds: int
) -> list[list[float]]:
    """Return the seconds per text of each function in each round, with one row per function.

    Args:
        functions: functions to time.
        texts: texts, which are divided among the rounds. All functions get the same texts in a round.
        rounds: number of rounds, at most one per text. A round times every function once.
    """
    rounds = min(rounds, len(texts))
    rows: list[list[float]] = [[] for _ in functions]
    for number in range(rounds):
        share = texts[number::rounds]
        for row, function in zip(rows, functions, strict=True):
            start = time.perf_counter()
            for text in share:
                function(text)
            row.append((time.perf_counter() - start) / len(share))
    return rows


def speed_ratio(slower: Iterable[float], faster: Iterable[float]) -> float:
    """Return how many times as fast the second function is; the median over rounds."""
    return median(slow_s / fast_s for slow_s, fast_s in zip(slower, faster, strict=True))


def measure(
    finders: Sequence[Finder], passages: Sequence[Passage], pages: Sequence[str], *, rounds: int
) -> list[Speed]:
    """Return the speed of each method.

    Args:
        finders: methods with empty indexes.
        passages: the corpus to index.
        pages: texts of pages to fingerprint and to look up.
        rounds: number of rounds of the interleaved timing.
    """
    chars = sum(len(passage.text) for passage in passages)
    built = [build_index(finder, passages) for finder in finders]
    fingerprint_s = time_interleaved([finder.fingerprint for finder in finders], pages, rounds=rounds)
    find_s = time_interleaved([finder.find for finder in finders], pages, rounds=rounds)
    peers = [number for number, finder in enumerate(finders) if finder.group == "peer"]
    return [
        Speed(
            method=finder.name,
            group=finder.group,
            documents_s=1 / median(fingerprint_s[number]),
            page_ms=median(find_s[number]) * 1000,
            index_chars_s=chars / built[number].seconds,
            bytes_char=built[number].size_bytes / chars,
            times={
                finders[peer].name: speed_ratio(fingerprint_s[peer], fingerprint_s[number]) for peer in peers
            },
        )
        for number, finder in enumerate(finders)
    ]
