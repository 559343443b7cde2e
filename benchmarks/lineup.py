"""The methods that are measured: pindna's methods, and the installed peers of the extra ``bench``."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from support.changed.texts import Passage

from benchmarks.finders import ExactGrams, Finder
from benchmarks.tracker_search import all_searches
from benchmarks.wholetext import registry_indexes
from system.segmentation import segmenter

_PEER_PACKAGES = ("datasketch", "rensa", "simhash")


def are_peers_installed() -> bool:
    """Return whether every peer is installed."""
    return all(find_spec(name) for name in _PEER_PACKAGES)


def is_matplotlib_installed() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def peers(*, minhash_only: bool = False) -> tuple[Finder, ...]:
    """Return the peers with empty indexes; none if they are not installed.

    Args:
        minhash_only: leave out SimHash, because its segmenter is slow on a large corpus.
    """
    if not are_peers_installed():
        return ()
    module = import_module("benchmarks.peers")
    minhashes = (module.Datasketch(), module.Rensa())
    return minhashes if minhash_only else (*minhashes, module.SimhashPackage())


def all_methods(passages: Sequence[Passage]) -> tuple[Finder, ...]:
    """Return every method with an empty index, in the order in which tables list them.

    Args:
        passages: passages in which word frequencies are measured.
    """
    return (*all_searches(), *peers(), ExactGrams(), *registry_indexes(passages, segmenter().cut))
