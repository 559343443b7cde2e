"""The runtime of a worker process or a command: settings, stores and index, opened once.

Connections are not fork-safe: nothing is opened at import, and a forked worker process opens its connections.
"""

from contextlib import ExitStack
from threading import RLock
from typing import TYPE_CHECKING

from storage.collections.stores import Stores, open_stores
from storage.running.live_settings import LiveSettings
from storage.servers.redis_client import Client, open_index
from storage.settings import Settings
from tracker.queue import Queue

if TYPE_CHECKING:
    from storage.index.interface import FingerprintIndex
    from tracker.comparison.corpus import Corpus
    from tracker.comparison.passages import PassageReader, Texts
    from tracker.indexing.guard import IndexGuard
    from tracker.indexing.params import IndexParams


class Runtime:
    """Settings, open stores, and a cache of passage texts.

    Guard, parameters and cache are created at their first use: loading their libraries takes longer than most
    commands.

    Args:
        settings: of file, environment and command.
        stores: its database.
        redis: the server of its index.
        guard: of the index; None: a new one for these stores and this Redis.
        queue: to the workers; None: that of the settings.
        params: of the index; None: those of the settings.
    """

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        redis: Client,
        guard: "IndexGuard | None" = None,
        queue: Queue | None = None,
        *,
        params: "IndexParams | None" = None,
    ) -> None:
        self.stores, self.redis = stores, redis
        self.live_settings = LiveSettings(settings, stores.stored_settings.get)
        self._guard, self._queue, self._params = guard, queue, params
        self._texts: Texts | None = None
        self._making = RLock()

    @property
    def settings(self) -> Settings:
        """The settings in force, with the stored ones as this process read them last."""
        return self.live_settings.state.settings

    @property
    def params(self) -> "IndexParams":
        """The parameters of the index.

        Raises:
            MissingFile, NotRegular, UnreadableMeasurement …: their reference cannot be used.
        """
        from tracker.indexing.params import params_of  # noqa: PLC0415 - see the class

        with self._making:
            if self._params is None:
                self._params = params_of(self.settings.tracker)
            return self._params

    @property
    def guard(self) -> "IndexGuard":
        """The guard that returns the index after checking it."""
        from tracker.indexing.guard import IndexGuard  # noqa: PLC0415 - see the class

        with self._making:
            if self._guard is None:
                self._guard = IndexGuard(self.stores, self.redis, self.params)
            return self._guard

    @property
    def queue(self) -> Queue:
        """The queue to the workers."""
        with self._making:
            if self._queue is None:
                self._queue = Queue(self.settings.storage)
            return self._queue

    @property
    def texts(self) -> "Texts":
        """A cache of passage texts, kept from batch to batch."""
        from tracker.comparison.passages import new_texts  # noqa: PLC0415 - see the class

        with self._making:
            if self._texts is None:
                self._texts = new_texts()
            return self._texts

    def corpus(self) -> "Corpus":
        """Return the mother corpus of a checked index, for one batch of pages.

        Raises:
            BadSettings: a profile in the settings is wrong.
        """
        return corpus_of(self.stores, self.guard.index(), self.settings, self.params, texts=self.texts)

    def close(self) -> None:
        """Close the connections."""
        if self._queue is not None:
            self._queue.close()
        self.redis.close()
        self.stores.close()


def passage_reader(stores: Stores, *, texts: "Texts | None" = None) -> "PassageReader":
    """Return a reader of the stored passages for one batch of pages; ``texts`` is kept longer."""
    from tracker.comparison.passages import PassageReader  # noqa: PLC0415 - see Runtime

    version = stores.versions.current_and_mark
    return PassageReader(stores.works, stores.passages, version=version, texts=texts)


def corpus_of(
    stores: Stores,
    index: "FingerprintIndex",
    settings: Settings,
    params: "IndexParams | None" = None,
    *,
    texts: "Texts | None" = None,
) -> "Corpus":
    """Return the stored mother corpus of an index, with the profiles of the settings.

    Raises:
        BadSettings: a profile in the settings is wrong.
    """
    from tracker.comparison.corpus import Corpus  # noqa: PLC0415 - see Runtime
    from tracker.indexing.params import DEFAULT_PARAMS  # noqa: PLC0415 - the same
    from tracker.judgement.profiles import chosen_profiles  # noqa: PLC0415 - the same

    return Corpus(
        passage_reader(stores, texts=texts),
        index,
        params or DEFAULT_PARAMS,
        profiles=chosen_profiles(settings.tracker),
        decisions=stores.decisions,
    )


def open_runtime(settings: Settings) -> Runtime:
    """Open the stores of the settings and ensure their schema.

    Raises:
        NewerSchema, OlderSchema, HalfRestored: the database cannot be used.
        MissingFile, NotRegular, UnreadableMeasurement …: the reference in the settings cannot be used.
    """
    with ExitStack() as opened:  # closed again if not all can be opened
        stores = open_stores(settings.storage)
        opened.callback(stores.close)
        client = open_index(settings.storage)
        opened.callback(client.close)
        stores.open_schema()
        runtime = Runtime(settings, stores, client)
        runtime.live_settings.follow()
        runtime.live_settings.serve_secrets()
        if settings.tracker.reference is not None:
            runtime.params  # noqa: B018 - a reference that cannot be used stops every command
        opened.pop_all()
    return runtime
