"""Web fonts that show other characters than the page has, in the ways in which pages name them."""

import base64
from collections.abc import Callable, Sequence
from functools import cache

from support.differential.browser import character_numbers
from support.differential.font import code_font
from support.differential.fragments import Choices, Fragment, Technique
from support.differential.texts import CODED

_SHIFT = 137  # places in the list of characters between one in the markup and the one that is shown
_PRIVATE = 0xE000
_FONT = frozenset({"font"})


def _shifted(char: str) -> str:
    at = CODED.find(char)
    return char if at < 0 else CODED[(at + _SHIFT) % len(CODED)]


def _private(char: str) -> str:
    at = CODED.find(char)
    return char if at < 0 else chr(_PRIVATE + at)


@cache
def web_font(written: Callable[[str], str]) -> bytes:
    """Return a font that shows each character for the one that is written for it."""
    numbers = character_numbers()
    return code_font(
        {written(char): numbers[char] for char in CODED}, family="Web", blanks="，。！？：；、“”"
    )


def same(char: str) -> str:
    """Write a character as itself."""
    return char


def data_address(font: bytes) -> str:
    """Return a font as an address."""
    return "data:font/ttf;base64," + base64.b64encode(font).decode()


# name → (rules, markup around each paragraph, how a character is written): ¶ is a class name and a family,
# § the address of the font.
_FORMS = {
    "class": ("@font-face{font-family:¶;src:url(§)}.¶{font-family:¶}", '<p class="¶">‡</p>', _shifted),
    "quoted": (
        "@font-face{font-family:'¶';src:url('§')}.¶{font-family:'¶',serif}",
        '<p class="¶">‡</p>',
        _shifted,
    ),
    "format": (
        "@font-face{font-family:¶;src:url(/no.eot);src:url('§') format('truetype')}.¶{font-family:¶}",
        '<p class="¶">‡</p>',
        _shifted,
    ),
    "shorthand": ("@font-face{font-family:¶;src:url(§)}.¶{font:16px/1.5 ¶}", '<p class="¶">‡</p>', _shifted),
    "inline": ("@font-face{font-family:¶;src:url(§)}", '<p style="font-family:¶">‡</p>', _shifted),
    "upper-case": ("@FONT-FACE{FONT-FAMILY:¶;SRC:URL(§)}.¶{font-family:¶}", '<p class="¶">‡</p>', _shifted),
    "range": (
        "@font-face{font-family:¶;src:url(§);unicode-range:U+3400-9FFF}.¶{font-family:¶}",
        '<p class="¶">‡</p>',
        _shifted,
    ),
    "nested": (
        "@media screen{@font-face{font-family:¶;src:url(§)}}@supports (color:red){.¶{font-family:¶}}",
        '<p class="¶">‡</p>',
        _shifted,
    ),
    "escaped": ("@font-f\\61 ce{font-family:¶;src:url(§)}.¶{font-family:¶}", '<p class="¶">‡</p>', _shifted),
    "spans": (
        "@font-face{font-family:¶;src:url(§)}.¶ span{font-family:¶}",
        '<p class="¶"><span>‡</span></p>',
        _shifted,
    ),
    "private": ("@font-face{font-family:¶;src:url(§)}.¶{font-family:¶}", '<p class="¶">‡</p>', _private),
    "private-references": (
        "@font-face{font-family:¶;src:url(§)}.¶{font-family:¶}",
        '<p class="¶">‡</p>',
        lambda char: f"&#x{ord(_private(char)):x};" if char in CODED else char,
    ),
}


def _form(rules: str, markup: str, written: Callable[[str], str]):
    def form(paragraphs: Sequence[str], choices: Choices) -> Fragment:
        name = choices.class_name()
        font = web_font(_private if written("周").startswith("&") else written)
        address = data_address(font)
        texts = ("".join(map(written, paragraph)) for paragraph in paragraphs)
        html = "".join(markup.replace("¶", name).replace("‡", text) for text in texts)
        return Fragment(html=html, css=rules.replace("¶", name).replace("§", address))

    return form


WEB_FONTS = tuple(
    Technique(name=f"font-{name}", apply=_form(*parts), unread=_FONT) for name, parts in _FORMS.items()
)
