"""A page whose declared charset differs from the encoding of most of it."""

import pytest

from crawler.extraction import extract
from tests.support.rest_pages import SENTENCES, han, page

TEXT = "".join(SENTENCES)
TRADITIONAL = (
    "江風忽然停了，連蘆葦也不響，只有水底下傳來一陣一陣敲木魚的聲音。"
    "他沒有回頭，因為這個名字除了死去的母親，世上再沒有第二個人知道。"
)


def test_declared_charset_of_a_minority_of_lines_is_read_too() -> None:
    decoy = page("").encode("gb18030") * 3
    copied = f"<p>{TRADITIONAL}</p>".encode("big5")
    result = extract(decoy.replace(b"</article>", b"</article>" + copied, 1), declared="big5")
    assert han(TRADITIONAL) in han(result.rest)


@pytest.mark.parametrize("charset", ["shift_jis", "euc-jp", "iso-2022-jp", "euc-kr"])
def test_han_characters_in_charsets_of_other_languages_are_read(charset: str) -> None:
    text = "".join(c for c in TRADITIONAL if c.encode(charset, "ignore"))
    markup = f"<html><head><title>x</title></head><body><p>{text}</p><p>{text[5:]}</p></body></html>"
    result = extract(markup.encode(charset), declared=charset)
    assert han(text) in han(result.text + result.rest)


def test_wrong_label_adds_nothing() -> None:
    result = extract(page("").encode("gb18030"), declared="big5")
    assert han(result.rest) == han("豆腐坊豆腐坊")
