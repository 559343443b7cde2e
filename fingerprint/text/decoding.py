"""Decode Chinese pages and files, without trusting the encoding that they declare.

A byte order mark decides first, then strict UTF-8. If neither applies, UTF-8, GB18030, Big5-HKSCS and UTF-16
are each tried on a sample. The score of an encoding grows with the share of common Chinese characters, and
falls with undecodable bytes. The declared encoding gets a small bonus. Japanese and Korean encodings are
tried if they are declared, or if their script appears (:mod:`fingerprint.text.east_asian`). A declared
encoding is replaced by its superset: ``gb2312`` and ``gbk`` by GB18030, ``big5`` by Big5-HKSCS.

Bytes in two encodings are decoded piece by piece if both encodings are certain
(:mod:`fingerprint.text.two_encodings`).

A lost or damaged byte spoils only the characters next to it. If GB18030 or Big5 fails, the bytes between two
ASCII delimiters are decoded again: they are split into characters in the most plausible way.

The sample has at most 32 KiB and consists of the blocks with most non-ASCII bytes. So choosing the encoding
takes about a millisecond. Decoding itself is linear.
"""

import codecs
import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprint.text.east_asian import east_asian_encoding
from fingerprint.text.han import HAN_POINTS
from fingerprint.text.two_encodings import contains_utf8, split_encodings

_CANDIDATES = ("utf-8", "gb18030", "big5hkscs", "utf-16-le", "utf-16-be")
_NARROW = _CANDIDATES[:3]
# A tag and the ASCII characters after it. In UTF-16 there would be zero bytes between them.
_NARROW_TAG = re.compile(rb"</?[a-zA-Z]{1,10}[ >][\x20-\x7e]{8}")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (b"\x84\x31\x95\x33", "gb18030"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "big5hkscs": "big5hkscs",
    "utf-8": "utf-8",
    "utf-16": "utf-16-le",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
}
_LEGACY = ("gb18030", "big5hkscs")
# Labels of encodings of other languages with Han characters.
_FOREIGN = {
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "ms_kanji": "cp932",
    "windows-31j": "cp932",
    "euc-jp": "euc_jp",
    "x-euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "csiso2022jp": "iso2022_jp",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601-1989": "cp949",
    "ksc5601": "cp949",
    "korean": "cp949",
    "windows-949": "cp949",
}
_JIS_ESCAPE = re.compile(rb"\x1b\$[@B]|\x1b\([BJI]")
_KANA_LEAD = b"\xa4"  # first byte of hiragana in EUC-JP and in GB18030
_MIN_KANA = 0.02  # minimum share of such bytes in a sample that may be EUC-JP
_BLOCK = 4096
_SAMPLE_BLOCKS = 8
_DECLARED_BONUS = 0.1
_CERTAIN = 1.0  # on real pages, correct encodings score at least 1.01 and wrong ones at most 0.51
_REPAIR_BYTES = 1 << 16  # maximum number of damaged bytes of a text that are decoded again
_PIECE_BYTES = 1 << 16
_MAX_REPAIRS = 100  # data with more errors are probably not text
_BINARY_MAGIC = (
    b"%PDF",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"Rar!",
    b"7z\xbc",
)
_CONTROLS = bytes((*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_CONTROL_SHARE = 0.01  # minimum share of control bytes in binary data; real pages have stray ones

# Minimum share of textual characters in UTF-16, in which many bytes look like control bytes.
_TEXTUAL_SHARE = 0.8

# About a hundred characters that make up two fifths of any Chinese text, in simplified and traditional form.
_FREQUENT = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "這個們來為國說時會對於過後發裡經麼學現當沒動還進樣開從實，。、：；？！“”《》　"
)
# A delimiter is an ASCII byte that never occurs within a two-byte or four-byte character.
_DELIMITERS = frozenset((*range(0x30), *range(0x3A, 0x40)))
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_NEXT_DELIMITER = re.compile(rb"[\x00-\x2f:-?]")
_DELIMITER = re.compile(rb"[\n<> ]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text, and the Python name of the codec that decoded it."""

    text: str
    encoding: str


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Return the text of ``data``.

    Args:
        data: a page or file, possibly truncated or damaged.
        declared: the encoding label that the sender declared; it decides only between similar scores.

    Returns:
        The text without byte order mark. Undecodable bytes become U+FFFD; no exception is raised. For text in
        two encodings, ``encoding`` is the encoding of the larger share.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(_decode_as(data[len(mark) :], encoding), encoding)
    if _JIS_ESCAPE.search(data) is not None and data.isascii():
        return Decoded(data.decode("iso2022_jp", "replace"), "iso2022_jp")
    text = _strict_utf8(data)
    if text is not None:
        return Decoded(text, "utf-8")
    encoding = _best_encoding(data, declared=declared)
    legacy = _legacy_encoding_in_mixture(data)
    if legacy is None:
        return Decoded(_decode_as(data, encoding), encoding)
    text = "".join(
        _decode_as(piece, "utf-8" if is_utf8 else legacy) for piece, is_utf8 in split_encodings(data)
    )
    return Decoded(text, "utf-8" if encoding == "utf-8" else legacy)


def decode_declared(data: bytes, label: str | None) -> Decoded | None:
    """Decode ``data`` as browsers do, which trust the declared label; return None for an unknown label.

    >>> decode_declared("青燈".encode("big5"), "big5").text
    '青燈'
    """
    encoding = declared_encoding(label)
    return None if encoding is None else Decoded(data.decode(encoding, "replace"), encoding)


def declared_encoding(label: str | None) -> str | None:
    """Return the codec of a declared label; None for an unknown label."""
    return _foreign_codec(label) or candidate_encoding(label)


def _foreign_codec(label: str | None) -> str | None:
    """Return the codec of a Japanese or Korean label, or None."""
    return _FOREIGN.get((label or "").strip(" \"'\t\r\n").lower())


def candidate_encoding(label: str | None) -> str | None:
    """Return the Chinese encoding or Unicode encoding that a declared label names, or None."""
    try:
        return _WIDER.get(codecs.lookup((label or "").strip(" \"'")).name)
    except (LookupError, ValueError):  # an unknown label, or a label that contains NUL
        return None


def looks_binary(data: bytes) -> bool:
    """Return whether ``data`` has a known binary signature, or many control bytes and is not UTF-16."""
    if data.startswith(_BINARY_MAGIC):
        return True
    sample = data[: _BLOCK * _SAMPLE_BLOCKS]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if not sample or controls < _CONTROL_SHARE * len(sample):
        return False
    shares = (_textual_share(sample, encoding) for encoding in ("utf-16-le", "utf-16-be"))
    return max(shares) < _TEXTUAL_SHARE


def _strict_utf8(data: bytes) -> str | None:
    """Return the text of valid UTF-8, else None.

    The last character may be truncated. Text with NUL is rejected, because it is probably ASCII in UTF-16.
    """
    try:
        text, used = codecs.utf_8_decode(data, "strict", False)
    except UnicodeDecodeError:
        return None
    looks_cut_off = len(data) - used
    return None if "\0" in text or (looks_cut_off and not text) else text


def _best_encoding(data: bytes, *, declared: str | None) -> str:
    wide, narrow = _make_samples(data)
    favoured = candidate_encoding(declared)
    scores: dict[str, float] = {}
    foreign = _foreign_codec(declared)
    if foreign is not None:
        scores[foreign] = _score(narrow, foreign) + _DECLARED_BONUS
        if scores[foreign] > _CERTAIN:
            return foreign
    candidates = _NARROW if _NARROW_TAG.search(data) else _CANDIDATES
    for encoding in sorted(candidates, key=lambda encoding: encoding != favoured):
        sample = wide if encoding.startswith("utf-16") else narrow
        scores[encoding] = _score(sample, encoding) + (_DECLARED_BONUS if encoding == favoured else 0.0)
        if scores[encoding] > _CERTAIN:
            has_kana = (
                encoding == "gb18030" != favoured and narrow.count(_KANA_LEAD) > len(narrow) * _MIN_KANA
            )
            return (east_asian_encoding(narrow) or encoding) if has_kana else encoding
    return east_asian_encoding(narrow) or max(scores, key=lambda encoding: scores[encoding])


def _legacy_encoding_in_mixture(data: bytes) -> str | None:
    """Return the other encoding of bytes that are a mixture with UTF-8; None if they are no mixture."""
    if not contains_utf8(data) or _score(_sample_pieces(data, is_utf8=True), "utf-8") <= _CERTAIN:
        return None
    rest = _sample_pieces(data, is_utf8=False)
    best = max(_LEGACY, key=lambda encoding: _score(rest, encoding))
    return best if _score(rest, best) > _CERTAIN else None


def _sample_pieces(data: bytes, *, is_utf8: bool) -> bytes:
    """Return the beginnings of the UTF-8 pieces, or of the other pieces, one per line."""
    sample = bytearray()
    for piece, part_is_utf8 in split_encodings(data):
        if part_is_utf8 is is_utf8:
            sample += piece[:_BLOCK] + b"\n"
        if len(sample) > _BLOCK * _SAMPLE_BLOCKS:
            break
    return bytes(sample)


def _make_samples(data: bytes) -> tuple[bytes, bytes]:
    """Return two samples of the blocks with most non-ASCII bytes.

    The first sample, for UTF-16, contains whole blocks. In the second, each block starts after a delimiter.
    """
    if len(data) <= _BLOCK * _SAMPLE_BLOCKS:
        return data, data
    whole = len(data) // _BLOCK
    high = np.frombuffer(data, dtype=np.uint8, count=whole * _BLOCK) >= 0x80  # noqa: PLR2004 - ASCII ends
    richest = np.argsort(high.reshape(whole, _BLOCK).sum(axis=1), kind="stable")[-_SAMPLE_BLOCKS:]
    # The last, incomplete block is always included, because it is short.
    starts = {*(int(block) * _BLOCK for block in richest), whole * _BLOCK}
    blocks = [data[start : start + _BLOCK] for start in sorted(starts)]
    return b"".join(blocks), b"\n".join(_drop_until_delimiter(block) for block in blocks)


def _drop_until_delimiter(block: bytes) -> bytes:
    """Return the block after its first delimiter; the whole block if it has none."""
    delimiter = _DELIMITER.search(block)
    return block if delimiter is None else block[delimiter.end() :]


def _score(sample: bytes, encoding: str) -> float:
    """Return the mean weight of all characters except printable ASCII."""
    codes = _code_points(sample, encoding)
    weights = _character_weights()[codes]
    significant = int(np.count_nonzero(~np.isnan(weights)))
    return float(np.nansum(weights)) / (significant + 1)


def _textual_share(sample: bytes, encoding: str) -> float:
    """Return the share of characters that are printable ASCII or support the encoding."""
    weights = _character_weights()[_code_points(sample, encoding)]
    return float(np.mean(np.isnan(weights) | (weights > 0))) if weights.size else 0.0


def _code_points(sample: bytes, encoding: str) -> NDArray[np.uint32]:
    text = sample.decode(encoding, "replace")
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    clipped: NDArray[np.uint32] = np.minimum(codes, np.uint32(0xFFFF))
    return clipped


@cache
def _character_weights() -> NDArray[np.float32]:
    """Return a weight for each code point below U+10000; NaN for printable ASCII.

    A high weight supports an encoding. The common characters are level 1 of GB2312 and level 1 of Big5.
    """
    table = np.zeros(0x10000, dtype=np.float32)
    table[0xE000:0xF900] = -1  # private use: a sign of a wrong encoding
    table[0x00:0x20] = table[0x7F:0xA0] = table[0xFFFD] = -2
    table[[0x09, 0x0A, 0x0C, 0x0D, *range(0x20, 0x7F)]] = np.nan
    table[0x3040:0x3100] = 0.3  # kana: GB2312 contains them, and they occur in Chinese pages
    table[[ord(character) for character in _level_one_characters()]] = 1
    table[[ord(character) for character in _FREQUENT]] = 2
    return table


def _level_one_characters() -> set[str]:
    """Return the characters of level 1 of GB2312 and of Big5."""
    simplified = bytes(
        byte for lead in range(0xB0, 0xD8) for trail in range(0xA1, 0xFF) for byte in (lead, trail)
    ).decode("gb2312", "ignore")
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    traditional = bytes(
        byte for lead in range(0xA4, 0xC7) for trail in trails for byte in (lead, trail)
    ).decode("big5", "ignore")
    return set(simplified) | set(traditional)


def _decode_as(data: bytes, encoding: str) -> str:
    """Return the text in a known encoding; damaged stretches of GB18030 and Big5 are repaired."""
    if encoding not in {"gb18030", "big5hkscs"}:
        return data.decode(encoding, "replace")
    budget, pieces, at = _REPAIR_BYTES, list[str](), 0
    for _ in range(_MAX_REPAIRS):
        text, damage = _decode_until_damage(data, at, encoding)
        if damage is None:
            return "".join((*pieces, text))
        start, end = _damaged_range(data, damage, at)
        stretch = data[start:end]
        is_affordable = len(stretch) <= budget
        budget -= len(stretch) if is_affordable else 0
        again = (
            _decode_most_plausibly(stretch, encoding)
            if is_affordable
            else stretch.decode(encoding, "replace")
        )
        pieces += [data[at:start].decode(encoding, "replace"), again]
        at = end
    return "".join((*pieces, data[at:].decode(encoding, "replace")))


def _decode_until_damage(data: bytes, first: int, encoding: str) -> tuple[str, int | None]:
    """Return the text from ``first`` on and None; or an empty text and the position of the first damage.

    The data are decoded in pieces, so that each error does not cause decoding of all bytes after it again.
    """
    texts, at = list[str](), first
    while at < len(data):
        delimiter = _NEXT_DELIMITER.search(data, at + _PIECE_BYTES)
        end = delimiter.end() if delimiter else len(data)
        text, damage = _decode_piece_until_damage(data[at:end], encoding)
        if damage is not None:
            return "", at + damage
        texts.append(text)
        at = end
    return "".join(texts), None


def _decode_piece_until_damage(data: bytes, encoding: str) -> tuple[str, int | None]:
    """Return the text of a piece and None, or an empty text and the position of its first invalid byte.

    A character that is cut off at the end becomes one U+FFFD. Private-use characters count as damage, because
    the byte pairs after a lost byte often decode to them.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text = decoder.decode(data)
    except UnicodeDecodeError as error:
        return "", error.start
    private = _PRIVATE.search(text)
    if private is not None:
        return "", len(text[: private.start()].encode(encoding))
    return text + ("\ufffd" if decoder.getstate()[0] else ""), None


def _damaged_range(data: bytes, position: int, earliest: int) -> tuple[int, int]:
    """Return start and end of the bytes between the delimiters around an invalid byte."""
    start = position
    while start > earliest and data[start - 1] not in _DELIMITERS:
        start -= 1
    delimiter = _NEXT_DELIMITER.search(data, position)
    return start, max(position + 1, delimiter.start() if delimiter else len(data))


def _decode_most_plausibly(stretch: bytes, encoding: str) -> str:
    """Divide bytes into characters of one, two or four bytes with the highest total weight; return them.

    Dynamic programming from the end: ``best[i]`` is the best score of ``stretch[i:]``, with its first
    character and that character's length. O(length).
    """
    best: list[tuple[float, str, int]] = [(0.0, "", 0)] * (len(stretch) + 1)
    for start in range(len(stretch) - 1, -1, -1):
        best[start] = max(
            (weight + best[start + size][0], character, size)
            for character, size, weight in _possible_characters(stretch, start, encoding)
        )
    characters, at = [], 0
    while at < len(stretch):
        _, character, size = best[at]
        characters.append(character)
        at += size
    return "".join(characters)


def _possible_characters(stretch: bytes, start: int, encoding: str) -> list[tuple[str, int, float]]:
    """Return the characters that may begin at ``start``: (character, number of bytes, weight)."""
    byte = stretch[start]
    readings = [(chr(byte), 1, 0.2)] if byte < 0x80 else [("\ufffd", 1, -3.0)]  # noqa: PLR2004 - ASCII ends
    for size in (2, 4):
        chunk = stretch[start : start + size]
        try:
            character = chunk.decode(encoding)
        except UnicodeDecodeError:
            continue
        if len(chunk) == size and len(character) == 1 and not character.isascii():
            weight = float(_character_weights()[min(ord(character), 0xFFFF)])
            readings.append((character, size, weight - 0.5))
    return readings


def common_character_share(text: str) -> float:
    """Return the share of common characters among a text's Han characters; 1.0 if it has none."""
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    han = codes[(codes >= HAN_POINTS.start) & (codes < HAN_POINTS.stop)]
    return float(np.mean(_character_weights()[han] > 0)) if han.size else 1.0
