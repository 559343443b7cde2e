"""Whether a compressed body is there to its end. Pure.

Scrapy unpacks what came of a body that breaks off, as browsers do, and says nothing of the rest. Who compares
texts must know. A stream is whole when its last block is closed; a missing or wrong checksum behind that does
not matter, for some servers send none.
"""

import zlib

import brotli

_MAX_BYTES = 64 * 1024 * 1024  # unpacked: what is larger is refused when it is unpacked for use
_PIECE_BYTES = 1024 * 1024
_GZIP, _ZLIB, _RAW = 31, 15, -15
_TRAILER = bytes(8)  # of gzip; that of zlib has 4


def is_complete(body: bytes, encoding: str) -> bool:
    """Return whether a body has the end of its compressed stream; one that is none counts as whole.

    Args:
        body: as it was received.
        encoding: its ``Content-Encoding``; others than gzip, deflate and br are not looked into.
    """
    if encoding in {"gzip", "x-gzip"}:
        return _ends(body, _GZIP)
    if encoding == "deflate":
        return _ends(body, _ZLIB if _begins(body, _ZLIB) else _RAW)
    return encoding != "br" or _brotli_ends(body)


def _begins(body: bytes, form: int) -> bool:
    try:
        zlib.decompressobj(form).decompress(body[:100])
    except zlib.error:
        return False
    return True


def _ends(body: bytes, form: int) -> bool:
    unpacker, size, rest = zlib.decompressobj(form), 0, body
    try:
        while rest and size < _MAX_BYTES:
            size += len(unpacker.decompress(rest, _PIECE_BYTES))
            rest = unpacker.unconsumed_tail
    except zlib.error:  # no such stream, or damaged: whoever unpacks it says so
        return True
    if unpacker.eof or rest:
        return True
    try:
        unpacker.decompress(_TRAILER)
    except zlib.error as error:
        return "incorrect" in str(error)  # the checksum, which comes behind the last block
    return unpacker.eof


def _brotli_ends(body: bytes) -> bool:
    unpacker, size, rest = brotli.Decompressor(), 0, body
    try:
        while size < _MAX_BYTES and (piece := unpacker.process(rest, output_buffer_limit=_PIECE_BYTES)):
            size, rest = size + len(piece), b""
    except brotli.error:
        return True
    return bool(unpacker.is_finished()) or size >= _MAX_BYTES
