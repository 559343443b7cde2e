"""``python -m crawler``: one crawl, or one round of the takedown watch, in its own process.

Exit status, of the table that every command follows: 0 the crawl came to its end; 2 a wrong setting, an
unknown source, or one of which no start address could be read; 3 the database is down; 4 the site turned us
away; 70 an error of pindna itself. What went wrong is the last line on standard error.
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
    """A service of ours failed during a crawl. Data: ``service``.

    The line is stored and stands in reports, so it names no address; the worker's log has it.
    """

    template = (
        "The crawl was broken off on our side: {service} did not answer. The next scan goes on with it."
    )
    exit_status = ExitStatus.DOWN


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m crawler", description="Crawl one source.")
    parser.add_argument("--source", required=True, help="name of the source")
    parser.add_argument("--scan", help="id of the scan that the pages belong to")
    parser.add_argument("--crawl", help="id of the crawl whose counts are kept")
    parser.add_argument("--watch", help="id of a round of the takedown watch, in place of scan and crawl")
    parser.add_argument(
        "--parent", type=int, default=os.getppid(), help="id of the process that the crawl ends with"
    )
    chosen = parser.parse_args(arguments)
    if not chosen.watch and not (chosen.scan and chosen.crawl):
        parser.error("either --scan and --crawl, or --watch")
    try:
        if chosen.watch:
            error = watch(round_id=chosen.watch, source=chosen.source, parent=chosen.parent)
        else:
            error = crawl(
                source=chosen.source, scan_id=chosen.scan, crawl_id=chosen.crawl, parent=chosen.parent
            )
    except PindnaError as raised:
        error = raised
    except Exception as raised:  # noqa: BLE001 - the outermost boundary: what is left is an error of ours
        error = record_bug(raised)
    if error is None:
        return ExitStatus.DONE
    if isinstance(error, ServiceDown):
        error = CrawlInterrupted(service=error.data["service"])
    return report_error(error)


if __name__ == "__main__":
    sys.exit(main())
