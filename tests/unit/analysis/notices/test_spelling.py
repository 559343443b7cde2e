"""Addresses and foreign words in letters: what is read is what is meant."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.notices.spelling import BadMailbox, ascii_address, defang, mailbox, real_host


@given(st.text(max_size=40), st.text(max_size=40))
def test_address_is_ascii_without_delimiters(path, query):
    address = ascii_address(f"https://book.example/{path}?q={query}")
    assert address.isascii()
    assert address.isprintable()
    assert not set(address) & set(" <>\"'`\\") - {"'"}
    assert address.startswith("https://book.example/")


@pytest.mark.parametrize("path", ["/第一章", "/a b", "/%E7%AB%A0", "/a.", "/x;y=1,(2)"])
def test_rewritten_address_has_the_same_target(path):
    assert unquote(urlsplit(ascii_address("https://a.example" + path)).path) == unquote(path)


def test_host_that_looks_like_another_is_named():
    assert real_host("https://baidu.com@copy.example/") == "copy.example"
    assert real_host("https://еxample.com/").startswith("е")  # a Cyrillic letter
    assert ascii_address("https://еxample.com/").startswith("https://xn--")


@given(st.text(alphabet="a.:/@ 青wh-", max_size=60))
def test_foreign_text_contains_no_links(text):
    assert "://" not in defang(text)
    assert "@" not in defang(text).replace("[@]", "")


def test_foreign_line_breaks_and_controls_are_made_visible():
    assert defang("题\n目\u202e") == "题␊目[U+202E]"


@pytest.mark.parametrize(
    "text",
    ["a", "a@", "@b.example", "a b@c.example", "a@b.example\nBcc: x@y.example", "a@b@c", "<a@b.example>",
     "a..b@c.example", "林@b.example", "a@-b.example", "a@b.example,c@d.example"],
)  # fmt: skip
def test_bad_mailbox_is_refused(text):
    with pytest.raises(BadMailbox):
        mailbox(text)


def test_mailbox_of_a_chinese_domain_is_written_in_punycode():
    assert mailbox("notice@例子.中国") == "notice@xn--fsqu00a.xn--fiqs8s"
