"""``python -m crawler``: run one crawl, or one round of the takedown watch, in a separate process.

The exit statuses are those of every command: 0 the crawl finished; 2 a setting is wrong, the source is
unknown, or no start address could be read; 3 the database is down; 4 the site refused access; 70 a bug in
pindna. The last line on standard error is the error message.
"""

import argparse
import os
import sys

from crawler.program import crawl, watch
from system.bugs import record_bug
from system.child_process import report_error
from system.errors import PindnaError, ServiceDown
from system.exit_status import ExitStatus


class CrawlInterrupted(PindnaError):
    """MongoDB or Redis failed during a crawl.

    The message is stored and appears in reports, so it contains no address of a server. The worker's log
    contains the address.

    Attributes:
        service: the service that failed.
    """

    template = "The crawl stopped because {service} did not answer. The next scan continues it."
    exit_status = ExitStatus.DOWN


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m crawler", description="Crawl one source.")
    parser.add_argument("--source", required=True, help="name of the source")
    parser.add_argument("--scan", help="id of the scan that the pages belong to")
    parser.add_argument("--crawl", help="id of the crawl whose counts are stored")
    parser.add_argument("--watch", help="id of a round of the takedown watch, instead of scan and crawl")
    parser.add_argument(
        "--parent",
        type=int,
        default=os.getppid(),
        help="id of the process to watch; the crawl ends when it dies",
    )
    chosen = parser.parse_args(arguments)
    if not chosen.watch and not (chosen.scan and chosen.crawl):
        parser.error("give either --scan and --crawl, or --watch")
    try:
        if chosen.watch:
            error = watch(round_id=chosen.watch, source=chosen.source, parent=chosen.parent)
        else:
            error = crawl(
                source=chosen.source, scan_id=chosen.scan, crawl_id=chosen.crawl, parent=chosen.parent
            )
    except PindnaError as raised:
        error = raised
    except Exception as raised:  # noqa: BLE001 - the outermost boundary: any other error is a bug
        error = record_bug(raised)
    if error is None:
        return ExitStatus.DONE
    if isinstance(error, ServiceDown):
        error = CrawlInterrupted(service=error.data["service"])
    return report_error(error)


if __name__ == "__main__":
    sys.exit(main())
