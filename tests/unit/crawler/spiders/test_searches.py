"""The address of a search in the form of each engine."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from crawler.spiders.searches import BRAVE, search_addresses
from storage.records import Discovery

SENTENCE = "渡口的青灯在雨夜里照见了旧名字"
JSON = Discovery(
    engine="https://api.example/v1?lang=zh",
    form="json",
    results=20,
    pages=2,
    parameters={"text": "全文:{query}", "num": "{count}", "start": "{offset}", "p": "{page}"},
)


def queries(discovery, sentence=SENTENCE):
    addresses = search_addresses(sentence, discovery)
    return [{name: values[0] for name, values in parse_qs(urlsplit(url).query).items()} for url in addresses]


def test_searxng_is_requested_as_json():
    assert queries(Discovery(engine="http://s.example/search")) == [{"q": f'"{SENTENCE}"', "format": "json"}]


def test_searxng_pages_have_numbers():
    pages = queries(Discovery(engine="http://s.example/search", pages=2))
    assert [page.get("pageno") for page in pages] == [None, "2"]


def test_brave_counts_pages_from_zero_and_has_twenty_results_at_most():
    pages = queries(Discovery(engine=BRAVE, form="brave", results=50, pages=2))
    assert [(page["count"], page["offset"]) for page in pages] == [("20", "0"), ("20", "1")]


def test_parameters_of_a_source_are_filled_in():
    pages = queries(JSON)
    assert pages[1] == {"lang": "zh", "text": f'全文:"{SENTENCE}"', "num": "20", "start": "20", "p": "2"}


def test_placeholder_in_a_sentence_stays_text():
    discovery = replace(JSON, pages=1, parameters={"q": "site:x {query}"})
    assert queries(discovery, "灯{page}下")[0]["q"] == 'site:x "灯{page}下"'
