import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.words.visible import link_target, visible


@pytest.mark.parametrize(
    "code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0x200F, 0xFEFF, 0xD800]
)
def test_direction_and_zero_width_characters_are_shown_by_their_code(code):
    assert visible(f"江{chr(code)}水") == f"江[U+{code:04X}]水"


def test_controls_become_pictures_but_line_feeds_and_tabs_stay():
    assert visible("a\x00b\x1bc\r\nd\te\rf") == "a␀b␛c\nd\te␍f"


@given(st.text())
def test_visible_removes_all_hidden_characters(text):
    left = {
        unicodedata.category(character) for character in visible(text).replace("\n", "").replace("\t", "")
    }
    assert not left & {"Cc", "Cs", "Zl", "Zp"}


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5)))
def test_chinese_text_stays_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    "url", ["http://a.example/x?y=1&z=2", "https://[::1]:8080/", "https://例子.example/路"]
)
def test_web_addresses_are_linked(url):
    assert link_target(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " https://a.example/",
        "https://a.example/\u202egpj.exe",
        'https://a.example/"onmouseover="x',
        "https://bank.example@evil.example/",
        "data:text/html,<b>",
        "ftp://a.example/",
        "//a.example/",
        "http://",
        "http://[::1",
        "https:\\\\a.example",
        "",
    ],
)
def test_anything_else_is_not_linked(url):
    assert link_target(url) is None
