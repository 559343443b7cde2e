"""The answers of search engines, as each engine documents them."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.lists.link_list import NotAList
from crawler.lists.search_answers import PARTIAL, EngineRefuses, NotASearch, read_search_answer, value_at
from storage.records import DEFAULT_ANSWER, SearchAnswer

A, B = "https://a.example/1", "https://b.example/2"


def urls(document, form="searxng", answer=DEFAULT_ANSWER):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return [link.url for link in read_search_answer(data, form=form, answer=answer).texts]


def test_results_of_searxng_are_read():
    assert urls({"query": "x", "results": [{"url": A}, {"url": B}], "unresponsive_engines": []}) == [A, B]


def test_searxng_whose_engines_are_all_blocked_refuses():
    with pytest.raises(EngineRefuses):
        urls({"results": [], "unresponsive_engines": [["google", "Suspended: CAPTCHA"]]})


def test_searxng_without_results_has_searched():
    assert urls({"results": [], "unresponsive_engines": []}) == []


def test_results_without_every_engine_are_partial():
    document = {"results": [{"url": A}], "unresponsive_engines": [["brave", "timeout"], ["bing", "timeout"]]}
    links = read_search_answer(json.dumps(document).encode(), form="searxng", answer=DEFAULT_ANSWER)
    assert links.refused == {PARTIAL: 2}


def test_results_of_brave_are_read():
    assert urls({"type": "search", "web": {"type": "search", "results": [{"url": A}]}}, "brave") == [A]


def test_brave_without_results_has_no_web_section():
    assert urls({"type": "search", "query": {"original": "x"}}, "brave") == []


def test_error_of_brave_is_a_refusal():
    error = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429}}
    with pytest.raises(EngineRefuses):
        urls(error, "brave")


def test_positions_of_a_source_lead_to_the_addresses():
    answer = SearchAnswer(results="data.0.items", url="page.link", problem="message")
    assert urls({"data": [{"items": [{"page": {"link": A}}]}], "message": ""}, "json", answer) == [A]
    with pytest.raises(EngineRefuses):
        urls({"message": "quota exceeded"}, "json", answer)


def test_list_of_addresses_needs_no_keys():
    assert urls([A, B], "json", SearchAnswer(results="", url="")) == [A, B]


@pytest.mark.parametrize(
    "document", [b"<html>", b"", {}, {"results": None}, {"results": [{"link": A}]}, [], b"[" * 100_000]
)
def test_answer_of_another_form_is_no_search(document):
    with pytest.raises(NotASearch):
        urls(document)


@pytest.mark.parametrize(
    "data",
    [
        f"标题,地址\n盗版,{A}\n另一,{B}\n".encode(),
        f"标题\t{A}\n另一\t{B}，备注".encode("gb18030"),
        f"{A} {B}".encode("utf-16"),
        json.dumps({"results": [{"url": A}, {"url": B}]}).encode(),
        json.dumps([{"url": A}, {"url": B}]).encode(),
        "\n".join(json.dumps({"url": url}) for url in (A, B)).encode(),
    ],
)
def test_file_of_results_may_be_table_text_or_json(data):
    assert urls(data, "file") == [A, B]


def test_file_without_addresses_is_no_search():
    with pytest.raises(NotASearch):
        urls("没有网址".encode(), "file")


@given(st.binary(max_size=300), st.sampled_from(["searxng", "brave", "json", "file"]))
def test_any_answer_is_read_or_refused(data, form):
    with suppress(NotAList):
        urls(data, form)


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_position_that_does_not_exist_has_no_value(document):
    assert value_at(document, "nowhere.99999999999.x") is None
