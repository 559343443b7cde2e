"""A host that redirects to another spelling of itself is requested there."""

import pytest

from crawler.spiders.moved_hosts import MovedHosts


@pytest.mark.parametrize(
    ("answered", "current"),
    [
        ("https://a.example/1", "https://a.example/2"),
        ("http://www.a.example/1", "http://www.a.example/2"),
        ("https://b.example/1", "http://a.example/2"),
        ("https://a.example/login", "http://a.example/2"),
        ("http://a.example/1", "http://a.example/2"),
    ],
)
def test_only_redirects_to_the_same_page_of_the_host_count(answered, current):
    hosts = MovedHosts()
    hosts.record("http://a.example/1", answered)
    assert hosts.current("http://a.example/2") == current


def test_host_that_answers_again_is_requested_there_again():
    hosts = MovedHosts()
    hosts.record("http://a.example/1", "https://a.example/1")
    hosts.record("http://a.example/3", "http://a.example/3")
    assert hosts.current("http://a.example/2") == "http://a.example/2"


def test_spellings_that_redirect_to_another_end():
    hosts = MovedHosts()
    hosts.record("http://a.example/1", "https://a.example/1")
    hosts.record("https://a.example/1", "http://a.example/1")
    assert hosts.current("http://a.example/2") == "https://a.example/2"
