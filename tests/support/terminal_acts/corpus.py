"""``pindna corpus``: works added, put in order, removed and brought back."""

from contextlib import closing

from support.commands_that_act import Act
from support.strategies import story

from analysis.actions.loading import add_works
from deploy.cli.identity import terminal_identity
from storage.records import Passage, Work
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms
from tracker.corpus.reading import RawWork
from tracker.corpus.removal import remove_work
from tracker.runtime import open_runtime


def _file(world):
    (world.folder / "镜花缘.txt").write_text(story(60, 7), encoding="utf-8")


def _two_passages(world):
    """Store a work of two passages."""
    passages = [
        Passage(
            id=number, work_id=4, ordinal=number - 4, title="", text=story(60, number), sha256=f"s{number}"
        )
        for number in (4, 5)
    ]
    world.stores.passages.save_many(passages)
    work = Work(id=4, key="镜花缘", title="镜花缘", kind="novel", origin="/srv/file", passage_ids=(4, 5))
    world.stores.works.save(work)
    for counter, count in (("works", 1), ("passages", 2)):
        world.stores.works.new_ids(counter, count)


def _removed(world):
    with closing(open_runtime(world.settings)) as runtime:
        remove_work("id:3", world.stores, runtime.guard.live())


def _loaded(world):
    """Load a work, so that there is a load to undo."""
    raw = RawWork(title="夜航", kind="news", origin="夜航.txt", sections=(ChapterSection("", story(60, 8)),))
    for counter in ("works", "passages"):
        world.stores.works.new_ids(counter, 9)
    with closing(open_runtime(world.settings)) as runtime:
        add_works(terminal_identity(world.settings), runtime, [raw], Terms())


ACTS = (
    Act("corpus add", ("镜花缘.txt", "--no-wait"), _file),
    Act("corpus edition", ("id:2", "--of", "id:1")),
    Act("corpus role", ("id:3", "--as", "earlier", "--no-wait"), name_option="--by"),
    Act("corpus rename", ("id:3", "有主")),
    Act("corpus merge", ("id:1", "id:2")),
    Act("corpus split", ("镜花缘", "下册", "--passages", "2"), _two_passages),
    Act("corpus remove", ("id:3", "--yes")),
    Act("corpus undo", ("--yes",), _loaded),
    Act("corpus restore", ("id:3", "--no-wait"), _removed),
)
READS = ("corpus list", "corpus loads", "corpus show")
