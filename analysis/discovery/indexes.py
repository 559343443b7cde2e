"""Lines of web archive indexes: CDXJ, CDX, and the index files and answers of Common Crawl."""

import json
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from analysis.discovery.files import ImportedFile
from analysis.discovery.rows import MAX_SHOWN_CHARS, ImportRow

_ORIGINAL = 2  # position of the address in a line of CDX
_HEADER = " CDX "


def read_index(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each capture that an index lists."""
    for line in file.lines():
        if not line.text.strip() or line.text.startswith((_HEADER, "!", "CDX ")):
            continue
        url = address_of(line.text)
        text = f"{decoded(url)} {url}"[:MAX_SHOWN_CHARS] if url else line.text[:MAX_SHOWN_CHARS]
        yield ImportRow(
            number=line.number, text=text, urls=(url,) if url else (), problem=None if url else "damaged"
        )


def address_of(line: str) -> str:
    """Return the address in a line of an index; empty if there is none.

    >>> address_of('cn,example)/1 20240102030405 {"url": "http://example.cn/1", "status": "200"}')
    'http://example.cn/1'
    """
    start = line.find("{")
    if start >= 0:
        try:
            value = json.loads(line[start:])
        except (ValueError, RecursionError):
            return ""
        url = value.get("url") if isinstance(value, dict) else None
        return url if isinstance(url, str) else ""
    fields = line.split()
    return fields[_ORIGINAL] if len(fields) > _ORIGINAL and "://" in fields[_ORIGINAL] else ""


def decoded(url: str) -> str:
    """Return an address with its escaped characters decoded: UTF-8, or else GB 18030."""
    data = unquote_to_bytes(url)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")
