"""Keys of buckets and marks: their order, their parts and their length."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storage.index.keys import (
    GROUPS,
    MAX_BITS,
    MIN_BITS,
    TAGS,
    codes_of,
    group_of,
    intact_codes,
    is_intact,
    key_rows,
    keys_of,
    meta_key,
)


def test_key_names_generation_tag_parameters_and_bucket():
    codes = codes_of(3, np.array([0x0ABCD]), MAX_BITS)
    assert group_of(codes).tolist() == [1]
    assert keys_of("f00d", codes) == [f"pindna:f00d{{{TAGS[1]}}}30abcd".encode()]
    assert keys_of("f00d", intact_codes(np.array([31]))) == [f"pindna:f00d{{{TAGS[31]}}}intact".encode()]
    assert meta_key("f00d", "dead") == "pindna:{index}:f00d:dead"


@given(
    st.integers(MIN_BITS, MAX_BITS).flatmap(
        lambda bits: st.tuples(st.just(bits), st.lists(st.integers(0, 2**bits - 1), min_size=1)),
    ),
    st.integers(0, 14),
)
def test_group_holds_equal_parts_of_the_buckets_and_its_mark_comes_last(sized, params):
    bits, numbers = sized
    buckets = np.array(numbers, dtype=np.int64)
    codes = codes_of(params, buckets, bits)
    assert group_of(codes).tolist() == [number * GROUPS >> bits for number in numbers]
    assert not is_intact(codes).any()
    marks = intact_codes(group_of(codes))
    assert is_intact(marks).all()
    assert (marks > codes).all()
    assert (group_of(marks) == group_of(codes)).all()


def test_rows_are_the_keys_with_their_surrounding_bytes():
    codes = codes_of(0, np.arange(3), MIN_BITS)
    rows = key_rows("f00d", codes, before=b"$21\r\n", after=b"\r\n")
    assert [row.tobytes() for row in rows] == [b"$21\r\n" + key + b"\r\n" for key in keys_of("f00d", codes)]
    assert {len(key) for key in keys_of("f00d", codes)} == {21}
    assert keys_of("f00d", codes[:0]) == []
