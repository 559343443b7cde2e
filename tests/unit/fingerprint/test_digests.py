"""Digests as a method."""

import hashlib

import pytest
from hypothesis import given
from support.strategies import anything

from fingerprint.exact import Exact, digest, digest_keys
from fingerprint.text.normal import normal_form
from fingerprint.text.views import Views


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256"])
@given(text=anything)
def test_digest_covers_the_normalised_text(algorithm, text):
    plain = normal_form(text)
    expected = hashlib.new(algorithm, plain.encode("utf-8", "replace"), usedforsecurity=False).digest()
    assert Exact(algorithm=algorithm).fingerprint(Views(text)) == (expected if plain else b"")


def test_changed_character_changes_the_digest():
    method = Exact()
    ours, theirs = method.fingerprint(Views("雨夜渡口")), method.fingerprint(Views("雨夜渡头"))
    assert method.similarity(ours, theirs) == 0
    assert method.similarity(ours, method.fingerprint(Views("雨 夜\n渡口"))) == 1


def test_keys_are_the_first_eight_bytes():
    md5 = digest("雨夜", "md5")
    assert digest_keys(md5).tolist() == [int.from_bytes(md5[:8], "little")]
    assert len(digest_keys(b"", b"")) == 0


def test_other_algorithms_are_refused():
    with pytest.raises(ValueError, match="md5, sha1 or sha256"):
        digest("雨夜", "crc32")
