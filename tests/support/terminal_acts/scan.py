"""``pindna scan`` and ``pindna crawl``: the daily job by hand."""

from support.commands_that_act import Act

from deploy.cli.scan import joining
from storage.records import Scan, Source, utc_now


def _source(world):
    """Store a source, and wait for no scan: no worker crawls here."""
    world.stores.sources.save(Source(name="portal", kind="urls", start_urls=("http://portal.example/",)))
    world.patch.setattr(joining, "wait_for_scan", lambda _runtime, scan: scan)


def _running(world):
    world.stores.scans.open(Scan(id="s9", trigger="hand", sources=("portal",), started=utc_now()))


ACTS = (
    Act("scan", ("--stop",), _running),
    Act("crawl", ("portal",), _source, status=4),
)
READS = ()
