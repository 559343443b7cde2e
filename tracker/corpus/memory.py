"""Works and passages in memory, for ``pindna check --corpus`` and tests."""

from collections.abc import Iterable

from storage.records import Passage, PassageHead, Work


class MemoryWorks:
    """Works by id."""

    def __init__(self) -> None:
        self._works: dict[int, Work] = {}

    def save(self, work: Work) -> None:
        """Insert or replace a work."""
        self._works[work.id] = work

    def get_many(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the works that exist among ``ids``."""
        return {work_id: self._works[work_id] for work_id in ids if work_id in self._works}


class MemoryPassages:
    """Passages by id."""

    def __init__(self) -> None:
        self._passages: dict[int, Passage] = {}

    def save_many(self, passages: Iterable[Passage]) -> None:
        """Insert or replace passages."""
        self._passages.update((passage.id, passage) for passage in passages)

    def get_many(self, ids: Iterable[int]) -> dict[int, Passage]:
        """Return the passages that exist among ``ids``."""
        return {passage_id: self._passages[passage_id] for passage_id in ids if passage_id in self._passages}

    def heads(self, ids: Iterable[int]) -> dict[int, PassageHead]:
        """Return the passages that exist among ``ids``, without their texts."""
        return {passage_id: passage.head for passage_id, passage in self.get_many(ids).items()}
