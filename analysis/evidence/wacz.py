"""Write a WACZ: web archives with the index and the page list that replay programs need.

Web Archive Collection Zipped, version 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/), with an index in
CDXJ (https://specs.webrecorder.net/cdxj/0.1.0/). ReplayWeb.page opens it. Records are written to a file one
by one; memory contains only their index lines.
"""

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.timeutils import iso_date_to_timestamp

from analysis.evidence.stored_zip import StoredZip
from crawler.pages.capture_digests import moment
from crawler.pages.warc import archive
from system.version import VERSION

WACZ_VERSION = "1.1.1"
_ARCHIVE = "archive/pindna.warc.gz"
_INDEX = "indexes/index.cdxj"
_PAGES = "pages/pages.jsonl"
_PACKAGE = "datapackage.json"
_DIGEST = "datapackage-digest.json"
_VIEW = "urn:view:"  # a screenshot must not replace the page under its address
_INDEXED = frozenset({"response", "revisit", "resource"})


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """An entry of the page list."""

    id: str
    url: str
    fetched: datetime
    title: str


def write_wacz(
    path: Path,
    members: Iterable[tuple[str, bytes]],
    pages: Iterable[ArchivedPage],
    *,
    title: str,
    created: datetime,
    folder: Path,
) -> tuple[str, ...]:
    """Write a WACZ of WARC records. Return the names of unreadable records, which are left out.

    Args:
        path: the file.
        members: names, and gzipped records, each a separate gzip member.
        pages: the page list for readers.
        title: title of the collection.
        created: time of the collection.
        folder: folder for temporary files.

    Raises:
        PackageTooLarge: it does not fit into one zip.
        OSError: a file cannot be written.
    """
    warc, index, listed = folder / "warc", folder / "index", folder / "pages"
    unreadable: list[str] = []
    with warc.open("wb") as file:
        lines = sorted(_write_records(file, members, unreadable))
    index.write_text("".join(lines), encoding="utf-8")
    with listed.open("w", encoding="utf-8") as file:
        file.writelines(_page_lines(pages))
    files = {_ARCHIVE: warc, _INDEX: index, _PAGES: listed}
    package = _json_bytes(_package_document(files, title=title, created=created))
    digest = _json_bytes({"path": _PACKAGE, "hash": _hash(package)})
    with path.open("wb") as target, StoredZip(target) as wacz:
        for name, source in files.items():
            wacz.add_file(name, source)
            source.unlink()
        wacz.add(_PACKAGE, package)
        wacz.add(_DIGEST, digest)
    return tuple(unreadable)


def _write_records(
    file: IO[bytes], members: Iterable[tuple[str, bytes]], unreadable: list[str]
) -> Iterator[str]:
    """Write records and yield their index lines. A broken record would hide all records after it."""
    offset = file.write(archive([]))
    for name, member in members:
        try:
            lines = list(_index_lines(member, offset))
        except (ValueError, OSError, EOFError, ArchiveLoadFailed, zlib.error):
            unreadable.append(name)
            continue
        offset += file.write(member)
        yield from lines


def _index_lines(member: bytes, start: int) -> Iterator[str]:
    if not gzip.decompress(member):  # check this here, because warcio does not report truncated records
        raise EOFError
    records = ArchiveIterator(io.BytesIO(member))
    for record in records:
        if record.rec_type in _INDEXED:
            entry = _index_fields(record)
            entry["offset"] = start + records.get_record_offset()
            entry["length"] = records.get_record_length()
            at = iso_date_to_timestamp(record.rec_headers.get_header("WARC-Date"))
            yield f"{sort_key(str(entry['url']))} {at} {json.dumps(entry)}\n"


def _index_fields(record: ArcWarcRecord) -> dict[str, str | int]:
    """Return the index fields of a record, except its position."""
    fields = record.rec_headers
    headers = record.http_headers
    media = headers.get_header("Content-Type") if headers else fields.get_header("Content-Type")
    status = headers.get_statuscode() if headers else "200"
    url = fields.get_header("WARC-Target-URI")
    return {
        "url": f"{_VIEW}{url}" if record.rec_type == "resource" else url,
        "mime": "warc/revisit" if record.rec_type == "revisit" else (media or "").partition(";")[0].strip(),
        "status": int(status) if status.isdecimal() else 0,
        "digest": fields.get_header("WARC-Payload-Digest") or "",
        "filename": Path(_ARCHIVE).name,
    }


def sort_key(url: str) -> str:
    """Return an address with its host reversed, as indexes sort it: ``cn,example)/a?b``."""
    parts = urlsplit(url)
    if not parts.hostname:
        return "".join(url.lower().split())
    labels = parts.hostname.split(".")
    host = ",".join(reversed(labels)) + (f":{parts.port}" if parts.port else "")
    query = f"?{parts.query}" if parts.query else ""
    return "".join(f"{host}){parts.path or '/'}{query}".lower().split())


def _page_lines(pages: Iterable[ArchivedPage]) -> Iterator[str]:
    yield json.dumps({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}) + "\n"
    for page in pages:
        entry = {"id": page.id, "url": page.url, "ts": moment(page.fetched), "title": page.title}
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def _package_document(files: dict[str, Path], *, title: str, created: datetime) -> dict[str, Any]:
    return {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "software": f"pindna {VERSION}",
        "title": title,
        "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "resources": [
            {
                "name": Path(name).name.lower(),
                "path": name,
                "hash": _file_hash(path),
                "bytes": path.stat().st_size,
            }
            for name, path in files.items()
        ],
    }


def _json_bytes(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
