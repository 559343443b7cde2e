"""Imported files as streams: unpacked, bounded, and in lines of text.

A file may have 1 GB, be a bomb, or mix encodings. It is read in pieces; at most :data:`MAX_BYTES` of it are
read, unpacked. A line is decoded as UTF-8, or else in the encoding of the file; a file with a byte order mark
as it says. Short texts in GB 18030 may be valid UTF-8 by chance: 小说 would be read as С˵.
"""

import codecs
import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from analysis.discovery.rows import BROKEN_END, CUT_BYTES
from fingerprint.text.decoding import decode
from system.local_files import RegularFile, file_error
from system.messages import NO_MESSAGE, Message

MAX_BYTES = 4 * 1024**3
MAX_LINE_BYTES = 1024**2
_HEAD_BYTES = 64 * 1024
_CHUNK_BYTES = 256 * 1024
_GZIP = b"\x1f\x8b"
_DECLARED = re.compile(rb"encoding\s*=\s*[\"']([\w.-]{2,20})")
_DECLARATION_BYTES = 200
_HAN = re.compile("[\u3400-\u9fff]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_GB2312 = re.compile(rb"(?:[\xa1-\xf7][\xa1-\xfe])+")
_MIN_WORD_BYTES = 4  # two characters
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a file, without its end.

    Attributes:
        number: from 1.
        text: its text, at most :data:`MAX_LINE_BYTES` bytes of it.
        is_whole: whether the text is the whole line.
    """

    number: int
    text: str
    is_whole: bool = True


class ImportedFile:
    """A file that a user imports.

    Args:
        path: the file.

    Attributes:
        sha256: of the file, in hexadecimal.
        head: its first bytes, unpacked.
        is_empty: whether it has no content.
        problem: why the file was not read to its end; set while it is read.
        position: number of bytes that were read, as stored on the disk.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: Message = NO_MESSAGE
        self.position = 0
        self.sha256, self.size = _digest_of(path)
        with self.open() as stream:
            self.head = self._read(stream, _HEAD_BYTES)
        self.is_empty = not (self.head.strip() or self.problem.template)
        self.problem = NO_MESSAGE

    def open(self) -> BinaryIO:
        """Return a new stream over the file, unpacked if it is gzip."""
        raw = io.BufferedReader(RegularFile(self.path))
        return gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == _GZIP else raw  # type: ignore[return-value]

    def chunks(self) -> Iterator[bytes]:
        """Yield the file in pieces, up to :data:`MAX_BYTES`."""
        remaining = MAX_BYTES
        with self.open() as stream:
            while data := self._read(stream, min(_CHUNK_BYTES, remaining)):
                yield data
                remaining -= len(data)
                if remaining <= 0:
                    self.problem = CUT_BYTES
                    return

    def text_chunks(self) -> Iterator[str]:
        """Yield the text of the file in pieces."""
        encoding = self.encoding
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        is_first = True
        for chunk in self.chunks():
            text = decoder.decode(chunk)
            yield text.removeprefix("\ufeff") if is_first else text
            is_first = False
        yield decoder.decode(b"", final=True)

    @cached_property
    def encoding(self) -> str:
        """The encoding of the whole file, by its mark or its first bytes."""
        for mark, encoding in _MARKS:
            if self.head.startswith(mark):
                return encoding
        try:
            text = codecs.getincrementaldecoder("utf-8")("strict").decode(self.head)
        except UnicodeDecodeError:
            declared = _DECLARED.search(self.head, 0, _DECLARATION_BYTES)
            return decode(self.head, declared=declared[1].decode("ascii") if declared else None).encoding
        return "gb18030" if not _HAN.search(text) and _is_gb2312(self.head) else "utf-8"

    def lines(self) -> Iterator[TextLine]:
        """Yield the lines of the file; a line may have another encoding than the others."""
        if self.encoding.startswith("utf-16"):
            yield from _lines_of(self.text_chunks())
            return
        remaining, number = MAX_BYTES, 0
        with self.open() as stream:
            while raw := self._read_line(stream):
                number += 1
                remaining -= len(raw)
                text = self._decode_line(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw)
                is_whole = raw.endswith(b"\n") or len(raw) < MAX_LINE_BYTES
                while not is_whole and (more := self._read_line(stream)):
                    remaining -= len(more)
                    if more.endswith(b"\n") or remaining <= 0:
                        break
                yield TextLine(number, text.rstrip("\r\n"), is_whole)
                if remaining <= 0:
                    self.problem = CUT_BYTES
                    return

    def _decode_line(self, raw: bytes) -> str:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("gb18030" if self.encoding == "utf-8" else self.encoding, "replace")
        is_chance = self.encoding != "utf-8" and not _HAN.search(text) and _is_gb2312(raw)
        return raw.decode(self.encoding, "replace") if is_chance else text

    def _read(self, stream: BinaryIO, count: int) -> bytes:
        try:
            return stream.read(count)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            self.problem = BROKEN_END
            return b""
        except OSError as error:
            raise file_error(self.path, error) from error

    def _read_line(self, stream: BinaryIO) -> bytes:
        try:
            return stream.readline(MAX_LINE_BYTES)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            self.problem = BROKEN_END
            return b""
        except OSError as error:
            raise file_error(self.path, error) from error


def head_text(file: ImportedFile) -> str:
    """Return the beginning of a file as text."""
    return file.head.decode(file.encoding, "replace").removeprefix("\ufeff")


def _digest_of(path: Path) -> tuple[str, int]:
    digest = hashlib.sha256()
    with RegularFile(path) as file:
        try:
            while data := file.read(_CHUNK_BYTES):
                digest.update(data)
        except OSError as error:
            raise file_error(path, error) from error
        return digest.hexdigest(), file.size


def _is_gb2312(data: bytes) -> bool:
    """Return whether all bytes beyond ASCII are pairs of GB 2312, most of them in a row, as in words."""
    runs = [run[0] for run in _BEYOND_ASCII.finditer(data)]
    words = sum(len(run) >= _MIN_WORD_BYTES for run in runs)
    return bool(runs) and all(map(_GB2312.fullmatch, runs)) and 2 * words >= len(runs)


def _lines_of(chunks: Iterator[str]) -> Iterator[TextLine]:
    """Yield the lines of a text that comes in pieces."""
    rest, number = "", 0
    for chunk in chunks:
        *lines, rest = (rest + chunk).split("\n")
        for line in lines:
            number += 1
            yield TextLine(number, line[:MAX_LINE_BYTES].rstrip("\r"), len(line) <= MAX_LINE_BYTES)
        rest = rest[: MAX_LINE_BYTES + 1]
    if rest:
        yield TextLine(number + 1, rest[:MAX_LINE_BYTES], len(rest) <= MAX_LINE_BYTES)
