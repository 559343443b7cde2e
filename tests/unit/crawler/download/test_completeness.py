"""A compressed body that breaks off is told from one that is whole, however that is packed."""

import gzip
import random
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.download.completeness import is_complete

TEXT = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9FA6), k=20_000))).encode()


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
}


@pytest.mark.parametrize("encoding", PACKERS)
@pytest.mark.parametrize("text", [b"", b"x", TEXT, b"x" * 3_000_000], ids=["none", "one", "text", "repeated"])
def test_complete_body_is_recognised(encoding, text):
    assert is_complete(PACKERS[encoding](text), encoding)


@pytest.mark.parametrize("encoding", PACKERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_truncated_body_is_recognised(encoding, share):
    body = PACKERS[encoding](TEXT)
    assert not is_complete(body[: int(len(body) * share)], encoding)


def test_missing_or_wrong_checksum_is_ignored():
    body, plain = gzip.compress(TEXT), zlib.compress(TEXT)
    for packed in (body[:-8], body[:-4], body[:-8] + b"12345678", body + b"more", body + body):
        assert is_complete(packed, "gzip")
    assert is_complete(plain[:-4], "deflate")
    assert is_complete(raw_deflate(TEXT), "deflate")
    assert not is_complete(raw_deflate(TEXT)[:-9], "deflate")


@given(st.binary(max_size=300), st.sampled_from([*PACKERS, "", "zstd", "gzip, br"]))
def test_completeness_is_decided_for_any_bytes(body, encoding):
    assert is_complete(body, encoding) in {True, False}


def test_bomb_is_not_unpacked_to_its_end():
    body = gzip.compress(b"x" * 200_000_000)
    assert is_complete(body[:-100], "gzip")  # it is refused for its size
