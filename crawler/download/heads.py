"""Heads of HTTP messages as the bytes that came, without the empty line that ends them. Pure.

Nothing is decoded, so no header can keep its page away. What stands in a head is a first line, then fields,
one a line; a line that begins with a space or a tab goes on with the field before it (obsolete folding, RFC
9112, 5.2).
"""

import re
from collections.abc import Collection, Iterator

LEFT_OUT = b"[left out]"  # stands for a value that is not kept
_END = re.compile(rb"\r?\n")
_PACKED = re.compile(rb"transfer-encoding[ \t]*:", re.IGNORECASE)
_ORIGINAL = b"X-Archive-Orig-"  # what other archives write before a header that no longer holds


def head_of(first: bytes, fields: Collection[tuple[bytes, bytes]]) -> bytes:
    """Return a head of a first line and of fields."""
    return b"\r\n".join([first, *(b": ".join(each) for each in fields)])


def fields_of(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each field's name and the rest of it, from the colon on, over all its lines."""
    for field in _fields(_END.split(head)[1:]):
        name, colon, value = field.partition(b":")
        yield name, colon + value


def recordable(head: bytes, *, first: bytes) -> tuple[bytes, int]:
    """Return a head as it can stand in a WARC record, and how many of its lines are not there as they came.

    Whoever reads the record takes an empty line for the end of the head, looks for a status or a request in
    its first line, and believes it when it speaks of a transfer encoding, which was taken off.

    Args:
        head: as it came.
        first: the first line to write instead of one that is none.
    """
    line, *fields = [each.removesuffix(b"\r") for each in head.split(b"\n")]
    begin = line.replace(b"\r", b" ") if _is_first(line) else first
    written = [None if _is_blank(each) else _recordable(each) for each in fields]
    changed = sum(old != new for old, new in zip([line, *fields], [begin, *written], strict=True))
    return b"\r\n".join([begin, *(each for each in written if each is not None)]), changed


def without(head: bytes, *, names: Collection[bytes], words: Collection[bytes] = ()) -> bytes:
    """Return a head with ``LEFT_OUT`` for what is confidential in its fields.

    Args:
        head: as it came or was sent.
        names: of fields whose values are left out, in lower case.
        words: that are left out wherever they stand.
    """
    first, *rest = _END.split(head)
    return b"\r\n".join([first, *(_without(each, names, words) for each in _fields(rest))])


def left_out(head: bytes) -> list[str]:
    """Return the names of the fields in which something was left out, each once."""
    names = (name for name, value in fields_of(head) if LEFT_OUT in value)
    return list(dict.fromkeys(name.decode("ascii", "replace").strip() for name in names))


def _fields(lines: list[bytes]) -> Iterator[bytes]:
    """Yield each field with the lines that it goes on in."""
    field: list[bytes] = []
    for line in lines:
        if field and not line.startswith((b" ", b"\t")):
            yield b"\r\n".join(field)
            field = []
        field.append(line)
    if field:
        yield b"\r\n".join(field)


def _without(field: bytes, names: Collection[bytes], words: Collection[bytes]) -> bytes:
    name = field.partition(b":")[0]
    if name.strip().lower() in names:
        return name + b": " + LEFT_OUT
    for word in words:
        field = field.replace(word, LEFT_OUT)
    return field


def _is_first(line: bytes) -> bool:
    """Return whether a line can begin a head: ``HTTP/1.1 200 OK``, ``GET / HTTP/1.1``."""
    words = line.split(b" ")
    return len(words) > 1 and bool(words[0]) and all(33 <= byte < 127 for byte in words[0])  # noqa: PLR2004 - visible ASCII


def _is_blank(line: bytes) -> bool:
    """Return whether a reader might see nothing in a line, whatever encoding it takes it to be in."""
    return not line.decode("utf-8", "ignore").strip() or not line.decode("latin-1").strip()


def _recordable(line: bytes) -> bytes:
    if _PACKED.match(line):
        line = _ORIGINAL + line
    return line.replace(b"\r", b" ")
