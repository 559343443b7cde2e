"""XHTML is read as browsers read it where it is served as XML."""

import pytest

from crawler.extraction import PageContext
from crawler.extraction.parsing import parse_page
from tests.support.rest_pages import DECOY, SENTENCES, han, missing, read

TYPE = "application/xhtml+xml"


def _xhtml(body: str, *, doctype: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{doctype}<html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><title>柳叶渡</title></head><body>{body}</body></html>"
    )


def _text(markup: str, content_type: str = TYPE) -> str:
    return han(read(markup, PageContext(content_type=content_type)).text)


def test_cdata_is_text() -> None:
    body = "".join(f"<p><![CDATA[{sentence}]]></p>" for sentence in SENTENCES)
    assert _text(_xhtml(body)) == han("".join(SENTENCES))
    assert missing(read(_xhtml(body))) == []  # in the rest of what is served as HTML


def test_page_entities_are_replaced() -> None:
    entities = "".join(f'<!ENTITY s{n} "{sentence}">' for n, sentence in enumerate(SENTENCES))
    body = "".join(f"<p>&s{n};</p>" for n in range(len(SENTENCES)))
    markup = _xhtml(body, doctype=f"<!DOCTYPE html [{entities}]>")
    assert _text(markup) == han("".join(SENTENCES))
    assert missing(read(markup)) == []


def test_html_entities_are_decoded() -> None:
    assert _text(_xhtml(f"<p>{SENTENCES[0]}&nbsp;&copy;&hellip;{SENTENCES[1]}</p>")) == han(
        "".join(SENTENCES[:2])
    )


def test_empty_element_ends_where_it_begins() -> None:
    body = f"<script/><p>{'</p><p>'.join(SENTENCES)}</p>"
    assert _text(_xhtml(body)) == han("".join(SENTENCES))


@pytest.mark.parametrize("content_type", ["text/html", "", "application/json"])
def test_other_types_are_read_as_html(content_type: str) -> None:
    body = f"<p>{'</p><p>'.join(DECOY)}</p>"
    assert _text(_xhtml(body), content_type) == han("".join(DECOY))


def test_broken_xml_is_read_as_far_as_it_goes() -> None:
    body = f"<p>{SENTENCES[0]}<br><b>{SENTENCES[1]}</p><p>{SENTENCES[2]}</p>"
    assert missing(read(_xhtml(body), PageContext(content_type=TYPE))) == list(SENTENCES[3:])


def test_invalid_xhtml_is_read_as_html() -> None:
    page = parse_page("<rss><item>x</item></rss>", is_xml=True)
    assert page is not None
    assert page.tree.tag == "html"


def test_external_entities_are_not_loaded() -> None:
    doctype = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    page = parse_page(_xhtml("<p>a&x;b</p>", doctype=doctype), is_xml=True)
    assert page is not None
    assert "".join(page.tree.find(".//p").itertext()) == "ab"


def test_entities_in_entities_are_bounded() -> None:
    entities = '<!ENTITY a0 "水">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    page = parse_page(_xhtml("<p>&a9;</p>", doctype=f"<!DOCTYPE html [{entities}]>"), is_xml=True)
    assert page is not None
    assert len("".join(page.tree.itertext())) < 10_000_000
