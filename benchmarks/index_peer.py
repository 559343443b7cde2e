"""datasketch's MinHashLSH with its tables in Redis, which is compared with pindna's index."""

import time
from collections.abc import Sequence
from statistics import median

from datasketch import MinHash, MinHashLSH
from support.changed.texts import Passage
from support.faults.server import redis_server

from benchmarks.finders import pages_of
from benchmarks.index_memory import IndexSize, PageTimes, used_bytes
from benchmarks.peers import PERMUTATIONS, THRESHOLD, Datasketch
from storage.servers.redis_client import Client

_BUFFER = 50_000  # commands sent at once, the default of datasketch


def measure(
    passages: Sequence[Passage], clean: Sequence[str], copies: Sequence[str]
) -> tuple[IndexSize, PageTimes]:
    """Return the size of the peer's index and its milliseconds per page.

    Args:
        passages: the corpus.
        clean: texts of pages that copy nothing.
        copies: texts of pages that copy a passage.
    """
    chars = sum(len(passage.text) for passage in passages)
    peer = Datasketch()
    start = time.perf_counter()
    signatures = [peer.fingerprint(page.text) for _, page in pages_of(passages)]
    made_s = time.perf_counter() - start
    with redis_server() as client:
        before = used_bytes(client)
        start = time.perf_counter()
        index = _build_index(signatures, client)
        added_s = time.perf_counter() - start
        bytes_char = (used_bytes(client) - before) / chars
        query_times = [[_query_ms(index, peer, text) for text in texts] for texts in (clean, copies)]
    size = IndexSize(
        method="datasketch",
        chars=chars,
        added_bytes_char=bytes_char,
        bytes_char=bytes_char,
        build_s=made_s + added_s,
        items_s=len(signatures) / added_s,
    )
    page_times = PageTimes(
        method="datasketch",
        chars=chars,
        clean_ms=median(query_times[0]),
        batch_ms=median(query_times[0]),
        copy_ms=median(query_times[1]),
        times=1.0,
    )
    return size, page_times


def _build_index(signatures: Sequence[MinHash], client: Client) -> MinHashLSH:
    options = client.get_connection_kwargs()
    redis = {name: options[name] for name in ("host", "port", "username", "password")}
    index = MinHashLSH(
        THRESHOLD, PERMUTATIONS, storage_config={"type": "redis", "basename": b"bench", "redis": redis}
    )
    with index.insertion_session(buffer_size=_BUFFER) as session:
        for number, signature in enumerate(signatures):
            session.insert(number, signature, check_duplication=False)
    return index


def _query_ms(index: MinHashLSH, peer: Datasketch, text: str) -> float:
    start = time.perf_counter()
    index.query(peer.fingerprint(text))
    return (time.perf_counter() - start) * 1000
