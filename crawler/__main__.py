"""``python -m crawler``: one crawl in its own process, as the tracker starts it.

Exit status: 0 when at least one start address was read; 1 when none was; 2 for a wrong setting or an unknown
source; 3 when the database is down. What went wrong is the last line on standard error.
"""

import argparse
import os
import sys

from crawler.program import crawl
from storage.errors import PindnaError


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m crawler", description="Crawl one source.")
    parser.add_argument("--source", required=True, help="name of the source")
    parser.add_argument("--scan", required=True, help="id of the scan that the pages belong to")
    parser.add_argument("--crawl", required=True, help="id of the crawl whose counts are kept")
    parser.add_argument(
        "--parent", type=int, default=os.getppid(), help="id of the process that the crawl ends with"
    )
    chosen = parser.parse_args(arguments)
    try:
        error = crawl(source=chosen.source, scan_id=chosen.scan, crawl_id=chosen.crawl, parent=chosen.parent)
    except PindnaError as raised:
        error = raised
    if error is None:
        return 0
    sys.stderr.write(f"{error}\n")
    return error.exit_status


if __name__ == "__main__":
    sys.exit(main())
