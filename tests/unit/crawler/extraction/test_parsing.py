"""Bytes to a tree: deep content is kept, and parsing is fast."""

from crawler.extraction.parsing import decode_page, parse, text_of, without_controls


def test_fields_are_read_up_to_their_maximum_length():
    assert len(text_of(parse(f"<h1>{'<i>雾</i>' * 20_000}</h1>"))) < 1_000


def test_decoding_damage_is_repaired_in_linear_time():
    data = ("雾从江心漫过来的时候，" * 20_000).encode("gb18030").replace(b"\xcd", b"\xff", 5_000)
    assert parse(decode_page(data, declared="gbk").text) is not None


def test_control_bytes_do_not_hide_a_page():
    html = f"<!DOCTYPE html><html><body><p>{'雾，' * 200}</p>".encode()
    assert without_controls(html) == html
    assert without_controls(html.replace(b"\xef", b"\0\xef\x01")) == html
    assert without_controls(html.decode().encode("utf-16")) == html.decode().encode("utf-16")
    noise = bytes(range(256)) * 9
    assert without_controls(noise) is None
