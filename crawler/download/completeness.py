"""Detects truncated compressed bodies. Pure.

Scrapy decompresses the available part of a truncated body without an error, as browsers do. For a comparison
of texts the truncation matters. A stream is complete if its last block is closed. A missing or wrong checksum
after it does not matter, because some servers send none.
"""

import zlib

import brotli

# maximum size after decompression; larger bodies are refused when they are used
_MAX_BYTES = 64 * 1024 * 1024
_PIECE_BYTES = 1024 * 1024
_GZIP, _ZLIB, _RAW = 31, 15, -15
_TRAILER = bytes(8)  # checksum and size at the end of gzip; zlib has only 4 bytes


def is_complete(body: bytes, encoding: str) -> bool:
    """Return whether a body contains the end of its compressed stream; True for an uncompressed body.

    Args:
        body: as received.
        encoding: its ``Content-Encoding``; only gzip, deflate and br are checked.
    """
    if encoding in {"gzip", "x-gzip"}:
        return _has_end_mark(body, _GZIP)
    if encoding == "deflate":
        return _has_end_mark(body, _ZLIB if _has_signature(body, _ZLIB) else _RAW)
    return encoding != "br" or _brotli_ends(body)


def _has_signature(body: bytes, form: int) -> bool:
    try:
        zlib.decompressobj(form).decompress(body[:100])
    except zlib.error:
        return False
    return True


def _has_end_mark(body: bytes, form: int) -> bool:
    unpacker, size, rest = zlib.decompressobj(form), 0, body
    try:
        while rest and size < _MAX_BYTES:
            size += len(unpacker.decompress(rest, _PIECE_BYTES))
            rest = unpacker.unconsumed_tail
    except zlib.error:  # another format, or damaged: decompression reports this later
        return True
    if unpacker.eof or rest:
        return True
    try:
        unpacker.decompress(_TRAILER)
    except zlib.error as error:
        return "incorrect" in str(error)  # only the checksum after the last block is wrong
    return unpacker.eof


def _brotli_ends(body: bytes) -> bool:
    unpacker, size, rest = brotli.Decompressor(), 0, body
    try:
        while size < _MAX_BYTES and (piece := unpacker.process(rest, output_buffer_limit=_PIECE_BYTES)):
            size, rest = size + len(piece), b""
    except brotli.error:
        return True
    return bool(unpacker.is_finished()) or size >= _MAX_BYTES
