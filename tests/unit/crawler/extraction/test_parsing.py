"""Bytes to a tree: nothing is lost in depth, nothing takes long."""

from crawler.extraction.parsing import decode_page, parse, text_of


def test_fields_are_read_no_further_than_they_may_be_long():
    assert len(text_of(parse(f"<h1>{'<i>雾</i>' * 20_000}</h1>"))) < 1_000


def test_decoding_damage_is_repaired_in_linear_time():
    data = ("雾从江心漫过来的时候，" * 20_000).encode("gb18030").replace(b"\xcd", b"\xff", 5_000)
    assert parse(decode_page(data, declared="gbk").text) is not None
