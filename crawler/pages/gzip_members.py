"""The members of a gzip file, damaged or not, in pieces of bounded size."""

import zipfile
import zlib
from typing import IO, Literal

_MAX_DAMAGED = 1_000  # members of a file
_RAW_BYTES = 16 * 1024
_PIECE_BYTES = 256 * 1024
_GZIP = b"\x1f\x8b\x08"
_BROKEN = (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile)

RecordProblem = Literal["damaged", "cut"]


class GzipMembers:
    """Unpacks the members of a gzip file one after another; a plain file is one member.

    Attributes:
        problem: why the member ended early.
        has_gap: whether bytes before the member belong to none.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.problem: RecordProblem | None = None
        self.has_gap = False
        self._is_over = False
        self._damaged = 0
        self._begins_here = True  # whether the raw bytes contain the begin of the member
        self._raw = self._read_raw()
        self._is_packed = self._raw.startswith(_GZIP)
        self._unpacker = zlib.decompressobj(wbits=31)

    def read(self) -> bytes:
        """Return the next piece of the member; empty at its end, and where it is damaged."""
        if not self._is_packed:
            data, self._raw = self._raw or self._read_raw(), b""
            return data
        data = b""
        while not (data or self._unpacker.eof or self.problem):
            self._raw = self._raw or self._read_raw()
            if self._raw:
                data = self._unpack()
            else:
                self.problem = self.problem or "cut"
        return data

    def start_next(self) -> bool:
        """Move to the next member; return whether there is one."""
        if self.problem == "damaged":
            self._damaged += 1
            self._raw = self._raw[self._begins_here :]
        self.problem, self.has_gap = None, False
        while self._is_packed and self._damaged <= _MAX_DAMAGED:
            while len(self._raw) < len(_GZIP) and (more := self._read_raw()):
                self._raw += more
            begin = self._raw.find(_GZIP)
            gap, self._raw = (
                (self._raw[:begin], self._raw[begin:]) if begin >= 0 else (self._raw[:-2], self._raw[-2:])
            )
            self.has_gap |= bool(gap.strip(b"\0"))
            if begin >= 0:
                self._unpacker, self._begins_here = zlib.decompressobj(wbits=31), True
                return True
            if self._is_over:
                return False
        return False

    def _unpack(self) -> bytes:
        try:
            data = self._unpacker.decompress(self._raw, _PIECE_BYTES)
        except zlib.error:
            self.problem = "damaged"
            return b""
        self._raw = self._unpacker.unconsumed_tail or self._unpacker.unused_data
        self._begins_here = False
        return data

    def _read_raw(self) -> bytes:
        if self._is_over:
            return b""
        try:
            data = self._stream.read(_RAW_BYTES)
        except _BROKEN:  # of the archive that contains the file
            data, self.problem = b"", "damaged"
        self._is_over = not data
        return data
