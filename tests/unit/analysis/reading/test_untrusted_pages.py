"""Pages that strangers wrote, read for people who wait."""

import pytest

from analysis.reading.untrusted_pages import Busy, NotComparable, Readers, article_of, facts_of
from crawler.extraction import extract
from crawler.readers.questions import InertQuestion
from storage.records import ClaimedDate


def test_long_wait_is_refused_as_busy():
    with pytest.raises(Busy) as error:
        Readers(64, processes=0, turn_s=0).ask(InertQuestion(b"", ""), name="a")
    assert error.value.data["seconds"] == 0


def test_page_of_links_is_not_compared():
    links = "".join(f"<li><a href='/{number}'>第{number}章</a></li>" for number in range(60))
    page = extract(f"<html><body><ul>{links}</ul></body></html>".encode(), url="http://a.example/")
    with pytest.raises(NotComparable):
        article_of(page, "http://a.example/")


def test_page_facts_are_kept_with_the_page():
    page = extract(b"<html><head><title>T</title></head><body>x</body></html>", url="http://www.a.cn/1")
    facts = facts_of(page, "http://www.a.cn/1")
    assert (facts.host, facts.site) == ("a.cn", "a.cn")
    assert facts_of(page, "").site == ""
    assert facts.published is None or isinstance(facts.published, ClaimedDate)
