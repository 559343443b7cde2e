"""Import pages that others captured: WARC, WACZ, HAR, MHTML and saved pages."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from crawler.pages.captured import UNREADABLE
from crawler.pages.captured_documents import captured_form_of, read_captured
from crawler.pages.importing import ImportedRecord, RecordResult, store_captured
from storage.records import CapturedForm, PageImport, utc_now
from system.errors import PindnaError
from system.local_files import RegularFile, readable
from tracker.corpus.texts import EmptyFile
from tracker.runtime import Runtime

_CHUNK_BYTES = 1024**2
_SHA256_OF_NOTHING = hashlib.sha256().hexdigest()
Report = Callable[[Sequence[ImportedRecord]], None]


class NoCapturedPages(PindnaError):
    """A file has no form with captured pages.

    Attributes:
        path: the file.
    """

    code = "no-captured-pages"
    template = (
        "{path} is not a file of captured pages. Import WARC, WACZ, HAR, MHTML, or a page saved by a "
        "browser; give the address of a saved page that does not contain it."
    )


@dataclass(frozen=True, slots=True)
class PagesSummary:
    """The result of a file.

    Attributes:
        name: of the file.
        form: its form.
        counts: number of records by result.
    """

    name: str
    form: CapturedForm
    counts: Mapping[RecordResult, int]

    @property
    def is_whole(self) -> bool:
        """Whether every record could be read."""
        return not any(self.counts.get(result) for result in UNREADABLE)


def import_pages(
    identity: Identity, runtime: Runtime, path: Path, *, name: str = "", url: str = "", report: Report
) -> PagesSummary:
    """Store the pages of a file with their capture dates, so that they are compared like crawled pages.

    Args:
        identity: the user or program that imports it.
        runtime: settings and open services.
        path: the file.
        name: its name as people see it; empty: as on the disk.
        url: address of a saved page that does not contain it.
        report: receives the results of its records in order.

    Raises:
        NotPermitted: the user may not change sources.
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        EmptyFile, NoCapturedPages: it has no pages, or another form.
    """
    identity.require("sources:write")
    shown = name or readable(path.name)
    sha256 = _sha256_of(path)
    if sha256 == _SHA256_OF_NOTHING:
        raise EmptyFile(path=shown)
    form = captured_form_of(path) or ("saved-page" if url else None)
    if form is None:
        raise NoCapturedPages(path=shown)
    now = utc_now()
    origin = PageImport(file=shown, sha256=sha256, form=form, captured=now, imported=now, by=identity.name)
    counts: Counter[RecordResult] = Counter()
    records = read_captured(path, form, url=url)
    for batch in store_captured(runtime.stores, runtime.settings.crawler, records, origin, now=now):
        counts.update(record.result for record in batch)
        report(batch)
    after: dict[str, object] = {"form": form, "sha256": sha256}
    after |= {str(result): number for result, number in counts.items()}
    record_action(identity, runtime, "import-pages", f"file {shown}", after=after)
    return PagesSummary(shown, form, counts)


def _sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with RegularFile(path) as file:
        while data := file.read(_CHUNK_BYTES):
            digest.update(data)
    return digest.hexdigest()
