"""Every encoding, declared rightly, wrongly or not at all, whole and damaged."""

import codecs
import os
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.text.decoding import candidate_encoding, decode, looks_binary

SIMPLIFIED = (
    "渡口的灯一盏一盏熄了，老船工把缆绳绕在木桩上，回头看了一眼江面。雾从对岸漫过来，先没了树，"
    "再没了桥，最后连水声也像是隔着一层棉絮。“今晚没有客人了。”他对自己说，可他还是坐在船头等。\n"
    "等到第三根火柴燃尽的时候，石阶上响起了脚步。来人披着旧雨衣，手里提一只铁皮箱子，箱角磕得变了形。\n"
)
TRADITIONAL = (
    "渡口的燈一盞一盞熄了，老船工把纜繩繞在木樁上，回頭看了一眼江面。霧從對岸漫過來，先沒了樹，"
    "再沒了橋，最後連水聲也像是隔著一層棉絮。「今晚沒有客人了。」他對自己說，可他還是坐在船頭等。\n"
    "等到第三根火柴燃盡的時候，石階上響起了腳步。來人披著舊雨衣，手裡提一隻鐵皮箱子，箱角磕得變了形。\n"
)
CASES = [
    (SIMPLIFIED, "utf-8"),
    (SIMPLIFIED, "gb18030"),
    (SIMPLIFIED, "utf-16-le"),
    (SIMPLIFIED, "utf-16-be"),
    (TRADITIONAL, "utf-8"),
    (TRADITIONAL, "gb18030"),
    (TRADITIONAL, "big5hkscs"),
    (TRADITIONAL, "utf-16-le"),
]
LABELS = [None, "utf-8", "gb2312", "gbk", "big5", "utf-16", "iso-8859-1", "nonsense", "'GBK'"]


def html(text):
    return f"<html><head><title>夜渡</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("text", "encoding"), CASES)
@pytest.mark.parametrize("wrap", [str, html])
def test_text_survives_any_label(text, encoding, label, wrap):
    result = decode(wrap(text).encode(encoding), declared=label)
    assert result.text == wrap(text)
    assert result.encoding == encoding


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        ("\ufeff".encode("gb18030"), "gb18030"),
    ],
)
def test_byte_order_mark_decides_and_is_removed(mark, encoding):
    result = decode(mark + "好".encode(encoding), declared="big5")
    assert (result.text, result.encoding) == ("好", encoding)


@pytest.mark.parametrize(("text", "encoding"), CASES)
@pytest.mark.parametrize("cut", [1, 2, 3])
def test_cut_end_costs_only_the_last_characters(text, encoding, cut):
    result = decode(text.rstrip().encode(encoding)[:-cut], declared="utf-8")
    assert result.encoding == encoding
    assert result.text[: len(text) - 6] == text[: len(text) - 6]


@pytest.mark.parametrize(("text", "encoding"), CASES)
@pytest.mark.parametrize("junk", [b"\xff", b"\x80", b"x", b"\x00"])
@pytest.mark.parametrize("position", [61, 62, 150, 151])
def test_damaged_byte_costs_a_few_characters(text, encoding, junk, position):
    data = bytearray(text.encode(encoding))
    data[position : position + 1] = junk
    result = decode(bytes(data))
    assert result.encoding == encoding
    kept = sum(a == b for a, b in zip(reversed(result.text), reversed(text), strict=False))
    assert kept > len(text) - position - 3
    assert result.text[:20] == text[:20]


@pytest.mark.parametrize("encoding", ["gb18030", "big5hkscs"])
@pytest.mark.parametrize("position", range(40, 80))
def test_lost_byte_does_not_garble_the_line(encoding, position):
    data = bytearray(TRADITIONAL.encode(encoding))
    del data[position]
    assert decode(bytes(data)).text.endswith(TRADITIONAL[60:])


@given(st.text(alphabet=SIMPLIFIED + "abc <>\n0189", min_size=1, max_size=300))
def test_utf8_is_decoded_unchanged(text):
    assert decode(text.encode(), declared="gbk").text == text


@given(st.lists(st.sampled_from(SIMPLIFIED.split("，")), min_size=3, max_size=12))
def test_clauses_in_any_order_survive_gbk_without_a_label(clauses):
    text = "，".join(clauses)
    assert decode(text.encode("gb18030")).text == text


@given(st.binary(max_size=400), st.sampled_from(LABELS))
def test_any_bytes_give_text_of_no_more_characters(data, label):
    """Invalid bytes give at most one replacement character each."""
    assert len(decode(data, declared=label).text) <= len(data)


def test_empty_bytes_are_empty_text():
    assert decode(b"").text == ""


def seconds(data):
    """The processor's time to decode some bytes; others may keep the machine busy."""
    begin = time.process_time()
    assert decode(data).encoding == "gb18030"
    return time.process_time() - begin


def test_large_file_takes_as_much_longer_as_it_is_larger():
    line = SIMPLIFIED.encode("gb18030")
    once = line * (1024 * 1024 // len(line))
    seconds(once)  # tables are made at the first call
    assert seconds(once * 10) < 40 * seconds(once) + 0.1


@pytest.mark.parametrize("damage", [b"\xff", b"\xaa\xa1"], ids=["no byte of it", "private use"])
def test_large_damaged_file_is_decoded_in_linear_time(damage):
    line = SIMPLIFIED.replace("\n", "").encode("gb18030")
    data = (line + damage + b"\n") * (16 * 1024 * 1024 // len(line))
    begin = time.process_time()
    text = decode(data).text
    assert time.process_time() - begin < 5  # 16 MB; in quadratic time they would take hours
    assert text.count(SIMPLIFIED[:20]) > 100


def test_text_far_behind_markup_still_decides():
    data = b"<script>" + b"var a = 1; " * 60_000 + b"</script>" + SIMPLIFIED.encode("gbk")
    assert decode(data, declared="utf-8").text.endswith(SIMPLIFIED)


def test_labels_are_widened():
    assert candidate_encoding("GB2312") == candidate_encoding("gbk") == "gb18030"
    assert candidate_encoding("Big5") == "big5hkscs"
    assert candidate_encoding(None) is candidate_encoding("klingon") is candidate_encoding("a\0b") is None


@pytest.mark.parametrize(("text", "encoding"), CASES)
def test_text_is_not_binary(text, encoding):
    assert not looks_binary(text.encode(encoding))
    assert not looks_binary(html(text).encode(encoding))


@pytest.mark.parametrize(
    "data",
    [
        os.urandom(4000),
        zlib.compress(SIMPLIFIED.encode() * 9),
        b"\x7fELF" + bytes(range(32)) * 100,
        b"%PDF-1.7\n" + SIMPLIFIED.encode(),
        bytes(500),
    ],
)
def test_binary_data_are_recognised(data):
    assert looks_binary(data)


def test_nothing_and_ascii_are_not_binary():
    assert not looks_binary(b"")
    assert not looks_binary("plain text\r\n".encode("utf-16-le") * 5)


@pytest.mark.parametrize("damage", [b"\0", b"\x93quoted\x94", b"\xe9"])
def test_markup_in_single_bytes_is_never_utf_16(damage):
    markup = b"<html><head><title>page</title></head><body>" + b"<p>&#24218;&#36784;</p>" * 20
    decoded = decode(markup + damage, declared="windows-1252")
    assert not decoded.encoding.startswith("utf-16")
    assert decoded.text.startswith("<html><head>")
