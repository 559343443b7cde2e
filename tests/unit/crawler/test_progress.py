"""The last report of a crawl is the one that stays, also when an earlier one is written late."""

import asyncio
import threading
from collections import Counter
from types import SimpleNamespace

from crawler.extensions.progress import ProgressExtension


class SlowScans:
    """Records the counts that are written; the first write waits for an event."""

    def __init__(self):
        self.begun, self.released, self.written = threading.Event(), threading.Event(), []

    def record_progress(self, _crawl_id, *, counts, **_):
        if not self.begun.is_set():
            self.begun.set()
            assert self.released.wait(10)
        self.written.append(counts["pages"])


async def store(call, *arguments, **options):
    return await asyncio.to_thread(call, *arguments, **options)


def job_with(scans):
    tally = SimpleNamespace(ended={}, numbers={})
    return SimpleNamespace(
        counts=Counter(),
        earlier_counts=Counter(),
        fatal=None,
        block_reason="",
        end="",
        fault="",
        closes_at=None,
        crawl_id="c",
        stall_timeout_s=900,
        frontier=SimpleNamespace(tally=lambda: tally),
        stores=SimpleNamespace(scans=scans),
        store=store,
    )


async def stop_during_a_report(scans):
    job = job_with(scans)
    extension = ProgressExtension(SimpleNamespace(spider=SimpleNamespace(job=job), stats=None, engine=None))
    await extension.start()
    await asyncio.to_thread(scans.begun.wait, 10)
    job.counts["pages"] = 8
    stopping = asyncio.create_task(extension.stop("finished"))
    await asyncio.sleep(0.05)
    scans.released.set()
    await stopping


def test_report_that_is_written_late_does_not_replace_the_last():
    scans = SlowScans()
    asyncio.run(stop_during_a_report(scans))
    assert scans.written == [0, 8]
