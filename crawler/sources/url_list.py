"""Reads a user's list of addresses: text or a table, with one address a line. Pure.

Every line has a result, so no line is dropped silently.
"""

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from crawler.addresses import MAX_ADDRESS_CHARS, canonical, is_private_host, is_web
from crawler.download.private_allowlist import host_port_of

LineResult = Literal["taken", "known", "repeated", "long", "inner", "login", "no-address"]

MAX_LINES = 50_000
# A line that is only an address, without white space, quotes or a second address.
_MAY_BE_ADDRESS = re.compile(r"https?://(?:(?!,https?://)[^\s\"])+", re.IGNORECASE)
_ENCODINGS = ("utf-8-sig", "gb18030")


@dataclass(frozen=True, slots=True)
class ListLine:
    """The result of a line.

    Attributes:
        number: of the line, from 1.
        text: the address, or the text of the line.
        result: ``taken``; ``known``: the source has it already; ``repeated``: the list has it earlier; else
            the reason of the refusal.
    """

    number: int
    text: str
    result: LineResult


def decode_list(data: bytes) -> str:
    """Decode a list: UTF-8, or else GB 18030."""
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode(_ENCODINGS[0], "replace")


def read_list(text: str, *, existing: Collection[str] = ()) -> Iterator[ListLine]:
    """Yield the result of each line that is not empty; in a row of cells the first address counts.

    Args:
        text: of the list.
        existing: addresses that the source has already.
    """
    existed = {canonical(url): True for url in existing if is_web(url)}
    lines = text.splitlines()
    delimiter = _delimiter_of(lines)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            url = _address_in(line, delimiter)
            result = refused_address(url)
            if result == "taken":
                key = canonical(url)
                result = "taken" if key not in existed else "known" if existed[key] else "repeated"
                existed.setdefault(key, False)
            yield ListLine(number, url, result)


def _delimiter_of(lines: Iterable[str]) -> str:
    """Return the delimiter of a table; empty if the lines are addresses, which may contain commas."""
    delimiter = ""
    for line in lines:
        if "\t" in line:
            return "\t"
        if "," in line and not _MAY_BE_ADDRESS.fullmatch(line.strip()):
            delimiter = ","
    return delimiter


def _address_in(line: str, delimiter: str) -> str:
    """Return the first cell that looks like an address, or else the first cell that is not empty."""
    cells = [line.strip()]
    if delimiter and len(line) <= MAX_ADDRESS_CHARS * 4:
        rows: Iterable[list[str]] = csv.reader([line], delimiter=delimiter)
        cells = [cell.strip() for cell in next(iter(rows), []) if cell.strip()] or cells
    return next((cell for cell in cells if "://" in cell), cells[0])


def refused_address(url: str) -> LineResult:
    """Return why an address cannot be one of a source; ``taken`` if it can."""
    if len(url) > MAX_ADDRESS_CHARS:
        return "long"
    if not is_web(url) or not url.isprintable() or " " in url:
        return "no-address"
    host = host_port_of(url)[0]
    if "@" in url.partition("://")[2].partition("/")[0]:
        return "login"
    if not host:
        return "no-address"
    return "inner" if is_private_host(host) else "taken"
