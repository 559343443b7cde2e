"""A font whose glyphs are codes: a screenshot of text in it can be read back without a mistake.

Each coded character is a square frame around four by three modules: ten bits of its number and two bits that
check it. All other characters are blank. Format: OpenType 1.9, TrueType outlines, cmap format 12.
"""

import struct
from collections.abc import Iterable, Mapping

UNITS = 1000  # of an em
ASCENT, DESCENT = 1000, -250  # lines far enough apart that an underline touches no frame
FRAME = (50, 0, 950, 900)  # left, bottom, right, top
FRAME_WIDTH = 75
COLUMNS, ROWS = 4, 3
_MARGIN = 65  # between the frame and the modules
MAX_CODES = 1 << 10

Box = tuple[int, int, int, int]


def bits_of(number: int) -> list[bool]:
    """Return the modules of a character's number, row by row from above: ten bits and two that check them."""
    bits = [bool(number >> place & 1) for place in range(10)]
    return [*bits, sum(bits[::2]) % 2 == 0, sum(bits[1::2]) % 2 == 0]


def inner_box() -> Box:
    """Return the box of the modules."""
    inset = FRAME_WIDTH + _MARGIN
    left, bottom, right, top = FRAME
    return left + inset, bottom + inset, right - inset, top - inset


def _boxes(number: int) -> list[tuple[Box, bool]]:
    """Return the boxes of a glyph, and whether each is a hole."""
    left, bottom, right, top = FRAME
    hole = (left + FRAME_WIDTH, bottom + FRAME_WIDTH, right - FRAME_WIDTH, top - FRAME_WIDTH)
    boxes = [(FRAME, False), (hole, True)]
    x0, y0, x1, y1 = inner_box()
    width, height = (x1 - x0) / COLUMNS, (y1 - y0) / ROWS
    for index, bit in enumerate(bits_of(number)):
        if bit:
            row, column = divmod(index, COLUMNS)
            x, y = x0 + column * width, y1 - (row + 1) * height
            boxes.append(((round(x), round(y), round(x + width), round(y + height)), False))
    return boxes


def _glyph(number: int) -> bytes:
    points: list[tuple[int, int]] = []
    ends: list[int] = []
    for (left, bottom, right, top), is_hole in _boxes(number):
        corners = [(left, bottom), (left, top), (right, top), (right, bottom)]
        points += corners[::-1] if is_hole else corners
        ends.append(len(points) - 1)
    data = struct.pack(">hhhhh", len(ends), *FRAME) + struct.pack(f">{len(ends)}H", *ends)
    data += struct.pack(">H", 0) + b"\x01" * len(points)
    for axis in (0, 1):
        last = 0
        for point in points:
            data += struct.pack(">h", point[axis] - last)
            last = point[axis]
    return data + b"\0" * (-len(data) % 4)


def _cmap(glyph_ids: Mapping[int, int]) -> bytes:
    groups = b"".join(struct.pack(">III", code, code, glyph_ids[code]) for code in sorted(glyph_ids))
    table = struct.pack(">HHIII", 12, 0, 16 + len(groups), 0, len(glyph_ids)) + groups
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def _name(family: str, style: str) -> bytes:
    full = f"{family} {style}"
    names = {1: family, 2: style, 3: full, 4: full, 5: "Version 1.0", 6: full.replace(" ", "")}
    records, strings = b"", b""
    for name_id, value in names.items():
        encoded = value.encode("utf-16-be")
        records += struct.pack(">HHHHHH", 3, 1, 0x409, name_id, len(encoded), len(strings))
        strings += encoded
    return struct.pack(">HHH", 0, len(names), 6 + len(records)) + records + strings


def _os2(first: int, last: int, *, is_bold: bool, is_italic: bool) -> bytes:
    selection = (is_italic | is_bold << 5) or 1 << 6
    return (
        struct.pack(">HhHHH", 4, UNITS, 700 if is_bold else 400, 5, 0)
        + struct.pack(">10h", 650, 600, 0, 75, 650, 600, 0, 350, 50, 300)
        + struct.pack(">h10s4I4s", 0, b"\0" * 10, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, b"none")
        + struct.pack(">HHH", selection, min(first, 0xFFFF), min(last, 0xFFFF))
        + struct.pack(">hhhHH", ASCENT, DESCENT, 0, ASCENT, -DESCENT)
        + struct.pack(">IIhhHHH", 0xFFFFFFFF, 0xFFFFFFFF, 500, 800, 0, 32, 1)
    )


def _checksum(data: bytes) -> int:
    padded = data + b"\0" * (-len(data) % 4)
    return sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF


def _assembled(tables: Mapping[bytes, bytes]) -> bytes:
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    search = power * 16
    header = struct.pack(">IHHHH", 0x00010000, count, search, power.bit_length() - 1, count * 16 - search)
    offset = 12 + 16 * count
    directory, body = b"", b""
    for tag in sorted(tables):
        data = tables[tag]
        directory += struct.pack(">4sIII", tag, _checksum(data), offset + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    return header + directory + body


def code_font(
    numbers: Mapping[str, int],
    *,
    family: str,
    blanks: Iterable[str] = (),
    half_blanks: Iterable[str] = (),
    is_bold: bool = False,
    is_italic: bool = False,
) -> bytes:
    """Return a TrueType font.

    Args:
        numbers: character → its number, below ``MAX_CODES``.
        family: name of the font.
        blanks: characters an em wide that show nothing.
        half_blanks: characters half an em wide that show nothing.
        is_bold: whether it is used for bold text. It looks the same.
        is_italic: whether it is used for italic text. It looks the same.
    """
    style = ("Regular", "Bold", "Italic", "Bold Italic")[is_bold + 2 * is_italic]
    glyphs, widths, ids = [b"", b"", b""], [UNITS, UNITS, UNITS // 2], {}
    ids.update({ord(char): 1 for char in blanks})
    ids.update({ord(char): 2 for char in half_blanks})
    drawn: dict[int, int] = {}
    for char, number in numbers.items():
        if number not in drawn:
            drawn[number] = len(glyphs)
            glyphs.append(_glyph(number))
            widths.append(UNITS)
        ids[ord(char)] = drawn[number]
    offsets = [0]
    for glyph in glyphs:
        offsets.append(offsets[-1] + len(glyph))
    count = len(glyphs)
    lefts = [0, 0, 0, *[FRAME[0]] * (count - 3)]
    tables = {
        b"cmap": _cmap(ids),
        b"glyf": b"".join(glyphs),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            *(0x00010000, 0x00010000, 0, 0x5F0F3CF5, 0b11, UNITS, 0, 0, *FRAME),
            *(is_bold | is_italic << 1, 8, 2, 1, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH",
            *(0x00010000, ASCENT, DESCENT, 0, UNITS, 0, 90, FRAME[2], 1, 0, 0, 0, 0, 0, 0, 0, count),
        ),
        b"hmtx": b"".join(struct.pack(">Hh", *row) for row in zip(widths, lefts, strict=True)),
        b"loca": struct.pack(f">{count + 1}I", *offsets),
        b"maxp": struct.pack(">IH13H", 0x00010000, count, 80, 20, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _name(family, style),
        b"OS/2": _os2(min(ids), max(ids), is_bold=is_bold, is_italic=is_italic),
        b"post": struct.pack(">IIhhIIIII", 0x00030000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    return _assembled(tables)
