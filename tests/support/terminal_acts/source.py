"""``pindna source``: what is crawled."""

from support.commands_that_act import Act

from storage.records import Candidate, Source


def _stored(world):
    world.stores.sources.save(Source(name="portal", kind="urls", start_urls=("http://portal.example/",)))


def _candidate(world):
    world.stores.candidates.add_new([Candidate(id="one.cn", urls=("http://one.cn/",))])


def _rejected(world):
    world.stores.candidates.add_new([Candidate(id="one.cn", state="rejected")])


def _list(world):
    path = world.folder / "sites.txt"
    path.write_text("http://one.cn/", encoding="utf-8")
    return [str(path)]


ACTS = (
    Act("source add", ("portal", "http://portal.example/")),
    Act("source enable", ("portal",), _stored),
    Act("source disable", ("portal",), _stored),
    Act("source import", (), _list),
    Act("source accept", ("one.cn",), _candidate),
    Act("source reject", ("one.cn",), _candidate),
    Act("source reopen", ("one.cn",), _rejected),
    Act("source remove", ("portal", "--yes"), _stored),
)
READS = ("source list", "source test", "source candidates", "source candidate")
