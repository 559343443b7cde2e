"""``pindna source``: what is crawled."""

from support.commands_that_act import Act

from storage.records import Source


def _stored(world):
    world.stores.sources.save(Source(name="portal", kind="urls", start_urls=("http://portal.example/",)))


ACTS = (
    Act("source add", ("portal", "http://portal.example/")),
    Act("source enable", ("portal",), _stored),
    Act("source disable", ("portal",), _stored),
    Act("source remove", ("portal", "--yes"), _stored),
)
READS = ("source list", "source test")
