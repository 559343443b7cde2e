"""How a site is named for a licence."""

import pytest

from analysis.words.site_patterns import BadSite, PartOfSite, site_pattern


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Book.Example.cn", "book.example.cn"),
        ("https://www.example.cn/", "example.cn"),
        ("http://127.0.0.1:8173", "127.0.0.1:8173"),
        ("*.Example.cn", "*.example.cn"),
        ("https://*.example.cn/", "*.example.cn"),
    ],
)
def test_site_is_named_by_a_host_or_a_pattern(text, pattern):
    assert site_pattern(text) == pattern


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("http://127.0.0.1:8173/book/1/", "127.0.0.1:8173"),
        ("example.cn/book", "example.cn"),
        ("example.cn?id=7", "example.cn"),
        ("*.example.cn/book/*", "*.example.cn"),
    ],
)
def test_fragment_of_a_site_is_refused(text, host):
    with pytest.raises(PartOfSite, match="is only part of a site") as refused:
        site_pattern(text)
    assert refused.value.data == {"site": text, "host": host}


@pytest.mark.parametrize("text", ["no site", "* site", "ftp://example.cn", ""])
def test_malformed_site_is_refused_as_it_was_written(text):
    with pytest.raises(BadSite) as refused:
        site_pattern(text)
    assert refused.value.data == {"site": text}
