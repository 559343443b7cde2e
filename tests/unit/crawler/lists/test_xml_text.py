"""Text of sitemaps and feeds that is cleaned in pieces."""

import pytest

from crawler.lists.xml_text import XmlCleaner

TEXT = (
    f"<loc>http://a.example/?{'a=1&amp;b&' * 20}</loc><loc><![CDATA[http://a.example/?{'c=1&' * 30}]]></loc>&"
)


def test_text_in_pieces_is_cleaned_like_the_whole():
    whole = XmlCleaner().clean(TEXT, is_last=True)
    for cut in range(len(TEXT)):
        cleaner = XmlCleaner()
        assert cleaner.clean(TEXT[:cut]) + cleaner.clean(TEXT[cut:], is_last=True) == whole


@pytest.mark.parametrize("text", ["&" * 1_000, "x" * 1_000, "<![CDATA[" * 200, "]" * 1_000])
def test_single_characters_are_cleaned_like_the_whole(text):
    cleaner = XmlCleaner()
    pieces = [*map(cleaner.clean, text), cleaner.clean("", is_last=True)]
    assert b"".join(pieces) == XmlCleaner().clean(text, is_last=True)
