"""Handles header blocks of HTTP messages as bytes, without the empty line that ends them. Pure.

Fields are not decoded, so a bad field cannot fail its page. A header block is a start line (status or request
line) and field lines (RFC 9112, 2). A line that begins with a space or a tab continues the previous field
(obsolete folding, RFC 9112, 5.2).
"""

import re
from collections.abc import Collection, Iterator

REDACTED = b"[left out]"  # replaces a removed value
_LINE_END = re.compile(rb"\r?\n")
_TRANSFER_ENCODING = re.compile(rb"transfer-encoding[ \t]*:", re.IGNORECASE)
ORIGINAL = b"X-Archive-Orig-"  # prefix for the names of fields that no longer apply, as in other archives


def header_block(start_line: bytes, fields: Collection[tuple[bytes, bytes]]) -> bytes:
    """Return the header block of a start line and of fields."""
    return b"\r\n".join([start_line, *(b": ".join(field) for field in fields)])


def fields_of(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name of each field and its remainder from the colon on, over all its lines."""
    for field in _fields_with_continuations(_LINE_END.split(block)[1:]):
        name, colon, value = field.partition(b":")
        yield name, colon + value


def rewrite_for_warc(block: bytes, *, start_line: bytes) -> tuple[bytes, int]:
    """Return a header block that is valid in a WARC record, and the number of changed lines.

    Readers of records end the block at an empty line, expect a status or a request in the first line, and
    apply the transfer encoding, which was removed.

    Args:
        block: as received.
        start_line: to replace an invalid first line.
    """
    first, *lines = [line.removesuffix(b"\r") for line in block.split(b"\n")]
    start = first.replace(b"\r", b" ") if _is_start_line(first) else start_line
    rewritten = [None if _is_blank(line) else _rewrite_line(line) for line in lines]
    changed = sum(old != new for old, new in zip([first, *lines], [start, *rewritten], strict=True))
    return b"\r\n".join([start, *(line for line in rewritten if line is not None)]), changed


def rename_fields(block: bytes, names: Collection[bytes], *, prefix: bytes) -> bytes:
    """Return a header block with a prefix before the names of some fields.

    Args:
        block: as received.
        names: of the fields, in lower case.
        prefix: to add.
    """
    first, *lines = _LINE_END.split(block)
    fields = (
        prefix + field if field.partition(b":")[0].strip().lower() in names else field
        for field in _fields_with_continuations(lines)
    )
    return b"\r\n".join([first, *fields])


def redact(block: bytes, *, names: Collection[bytes], values: Collection[bytes] = ()) -> bytes:
    """Return a header block with ``REDACTED`` instead of confidential values.

    Args:
        block: as received or sent.
        names: of fields whose values are redacted, in lower case.
        values: redacted wherever they occur.
    """
    first, *lines = _LINE_END.split(block)
    return b"\r\n".join(
        [first, *(_redact_field(field, names, values) for field in _fields_with_continuations(lines))]
    )


def redacted_names(block: bytes) -> list[str]:
    """Return the distinct names of the fields with redacted values."""
    names = (name for name, value in fields_of(block) if REDACTED in value)
    return list(dict.fromkeys(name.decode("ascii", "replace").strip() for name in names))


def _fields_with_continuations(lines: list[bytes]) -> Iterator[bytes]:
    """Yield each field with the lines that continue it."""
    field: list[bytes] = []
    for line in lines:
        if field and not line.startswith((b" ", b"\t")):
            yield b"\r\n".join(field)
            field = []
        field.append(line)
    if field:
        yield b"\r\n".join(field)


def _redact_field(field: bytes, names: Collection[bytes], values: Collection[bytes]) -> bytes:
    name = field.partition(b":")[0]
    if name.strip().lower() in names:
        return name + b": " + REDACTED
    for value in values:
        field = field.replace(value, REDACTED)
    return field


def _is_start_line(line: bytes) -> bool:
    """Return whether a line can begin a header block: ``HTTP/1.1 200 OK``, ``GET / HTTP/1.1``."""
    words = line.split(b" ")
    return len(words) > 1 and bool(words[0]) and all(33 <= byte < 127 for byte in words[0])  # noqa: PLR2004 - visible ASCII


def _is_blank(line: bytes) -> bool:
    """Return whether a line might look empty in UTF-8 or Latin-1."""
    return not line.decode("utf-8", "ignore").strip() or not line.decode("latin-1").strip()


def _rewrite_line(line: bytes) -> bytes:
    if _TRANSFER_ENCODING.match(line):
        line = ORIGINAL + line
    return line.replace(b"\r", b" ")
