"""What a worker process or the command line needs to do its work, opened once a process.

Connections are not fork-safe: nothing is opened at import, and a forked worker process opens its own.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field

from storage.collections.stores import Stores, open_stores
from storage.index.interface import FingerprintIndex
from storage.servers.redis_client import Client, open_index
from storage.settings import Settings
from tracker.comparison import Corpus
from tracker.comparison.passages import PassageReader, Texts, new_texts
from tracker.indexing.guard import IndexGuard
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams, params_of
from tracker.judgement.profiles import chosen_profiles
from tracker.queue import Queue


@dataclass(frozen=True, slots=True)
class Runtime:
    """Settings, open stores, and the texts of passages that were met.

    Attributes:
        texts: kept from one batch of pages to the next.
    """

    settings: Settings
    stores: Stores
    redis: Client
    guard: IndexGuard
    queue: Queue
    params: IndexParams = DEFAULT_PARAMS
    texts: Texts = field(default_factory=new_texts)

    def corpus(self) -> Corpus:
        """Return the mother corpus behind an index that was just checked, for one batch of pages.

        Raises:
            ServiceDown: a service does not answer.
            BadSettings: a profile in the settings is wrong.
        """
        return corpus_of(self.stores, self.guard.index(), self.settings, self.params, texts=self.texts)

    def close(self) -> None:
        """Close the connections."""
        self.queue.close()
        self.redis.close()
        self.stores.close()


def passage_reader(stores: Stores, *, texts: Texts | None = None) -> PassageReader:
    """Return what reads the stored passages for one batch of pages; ``texts`` outlive it."""
    version = stores.versions.current_and_mark
    return PassageReader(stores.works, stores.passages, version=version, texts=texts)


def corpus_of(
    stores: Stores,
    index: FingerprintIndex,
    settings: Settings,
    params: IndexParams = DEFAULT_PARAMS,
    *,
    texts: Texts | None = None,
) -> Corpus:
    """Return the stored mother corpus behind an index, with the rules of the settings.

    Raises:
        BadSettings: a profile in the settings is wrong.
    """
    return Corpus(
        passage_reader(stores, texts=texts),
        index,
        params,
        profiles=chosen_profiles(settings.tracker),
        decisions=stores.decisions,
    )


def open_runtime(settings: Settings) -> Runtime:
    """Open the stores of some settings and make sure that their schema is there.

    Raises:
        ServiceDown: MongoDB does not answer.
        NewerSchema, OlderSchema, HalfRestored: its database is not to be worked with.
        MissingFile, NotRegular, UnreadableMeasurement …: the settings name a reference that cannot be used.
    """
    params = params_of(settings.tracker)
    with ExitStack() as opened:  # closed again if not all can be opened
        stores = open_stores(settings.storage)
        opened.callback(stores.close)
        client = open_index(settings.storage)
        opened.callback(client.close)
        stores.open_schema()
        guard = IndexGuard(stores, client, params)
        runtime = Runtime(settings, stores, client, guard, Queue(settings.storage), params)
        opened.pop_all()
    return runtime
