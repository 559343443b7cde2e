"""Works and passages in memory: what was saved last, and nothing for what is unknown."""

from storage.records import Passage, Work
from tracker.corpus.memory import MemoryPassages, MemoryWorks


def test_works_are_looked_up_by_id():
    works = MemoryWorks()
    for title in ("old", "new"):
        works.save(Work(id=1, key="k", title=title, kind="news", origin=""))
    assert {work_id: work.title for work_id, work in works.get_many([1, 2]).items()} == {1: "new"}


def test_passages_are_looked_up_by_id():
    passages = MemoryPassages()
    first, second = (
        Passage(id=number, work_id=1, ordinal=0, title="", text="", sha256=str(number)) for number in (1, 2)
    )
    passages.save_many([first, second])
    assert passages.get_many([2, 3]) == {2: second}
