"""One-time passwords: RFC 6238's own values, each taken once; recovery codes in any spelling."""

import base64
import math
from datetime import UTC, datetime, timedelta

import pyotp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.accounts.one_time import accepted_step, new_recovery_codes, new_secret, recovery_digest

# RFC 6238, appendix B, for SHA-1: the last six of its eight digits.
RFC_SECRET = base64.b32encode(b"12345678901234567890").decode()
NOW = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "code"), [(59, "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")]
)
def test_codes_match_the_rfc_examples(seconds, code):
    now = datetime.fromtimestamp(seconds, UTC)
    assert accepted_step(RFC_SECRET, code, after=0, now=now) == seconds // 30


def test_code_is_accepted_once_and_clocks_may_differ_by_a_step():
    secret = new_secret()
    code = pyotp.TOTP(secret).at(NOW)
    step = accepted_step(secret, f"{code[:3]} {code[3:]}", after=0, now=NOW)
    assert accepted_step(secret, code, after=step, now=NOW) is None
    for seconds, is_taken in ((-30, True), (30, True), (-61, False), (61, False)):
        is_accepted = accepted_step(secret, code, after=0, now=NOW + timedelta(seconds=seconds)) is not None
        assert is_accepted == is_taken


@given(st.text(max_size=20))
def test_any_typed_code_is_handled(code):
    assert accepted_step(RFC_SECRET, code, after=10**9, now=NOW) is None


def test_ten_recovery_codes_are_accepted_in_any_usual_spelling():
    codes = new_recovery_codes()
    assert len(set(codes)) == 10
    assert all(len(code.replace("-", "")) * math.log2(31) > 112 for code in codes)
    assert recovery_digest(f" {codes[0].upper()} ") == recovery_digest(codes[0]) != recovery_digest(codes[1])
    assert recovery_digest(codes[0].replace("-", " ")) == recovery_digest(codes[0])
    assert recovery_digest("\ud800")
