"""Exact digests: what they overlook and what they do not."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import anything, prose

from fingerprint.exact import content_hash
from fingerprint.text.normal import normal_form


def test_digest_equals_the_golden_value():
    """Stored with every page: it must never change."""
    digest = "eeee8222c072948db28f94f391281004996b05caf2e815c695797d23584377f2"
    assert hashlib.sha256("青灯渡A1".encode()).hexdigest() == digest
    assert content_hash("　青灯\u200b渡\r\nＡ1\ufeff") == digest


@given(
    prose,
    st.sampled_from(["\n", "　", " ", "\t", "\u00a0", "\u200b", "\u2060", "\ufeff", "\u2028", "\u00ad"]),
)
def test_space_and_invisible_characters_do_not_count(text, space):
    assert content_hash(space.join(text)) == content_hash(text)


@given(anything)
def test_normalising_leaves_no_space(text):
    assert not any(item.isspace() for item in normal_form(text))


@given(prose)
def test_normalising_prose_is_idempotent(text):
    assert normal_form(normal_form(text)) == normal_form(text)


@given(prose.filter(lambda text: text.strip()), st.data())
def test_changed_character_changes_the_hash(text, data):
    places = [position for position, item in enumerate(text) if not item.isspace()]
    position = data.draw(st.sampled_from(places))
    changed = text[:position] + "竄" + text[position + 1 :]
    assert content_hash(changed) != content_hash(text)


@pytest.mark.parametrize("text", ["", "\ud800", "青\udfff灯"])
def test_every_text_has_a_digest(text):
    assert len(content_hash(text)) == 64


def test_traditional_is_another_text():
    assert content_hash("青灯") != content_hash("青燈")
