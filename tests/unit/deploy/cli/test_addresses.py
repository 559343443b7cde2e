"""Addresses as people type them."""

import pytest

from deploy.cli.addresses import complete, looks_like_address


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/",
        "news.example.cn",
        "a.cn:80",
        "a.cn/b?c=1",
        "127.0.0.1:8802",
        "localhost/x",
        "www.a.cn",
    ],
)
def test_addresses_need_no_scheme(text):
    assert looks_like_address(text)
    assert complete(text).endswith(text)
    assert complete(text).startswith(("http://", "https://"))


@pytest.mark.parametrize(
    "text",
    [
        "suspect.txt",
        "novels/suspect.txt",
        "-",
        "book.zip",
        "没有.txt",
        "ftp://a.cn/",
        "1.2.3.4",
        "第1.5章",
        "",
    ],
)
def test_names_of_files_are_no_addresses(text):
    assert not looks_like_address(text)
