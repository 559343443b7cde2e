"""One odd page is no ban; many refusals are."""

import pytest

from crawler.bans import BanDetector


def verdict_on(*answers):
    refusals, verdict = BanDetector(), None
    for kind, status in answers:
        verdict = refusals.note_answer(kind=kind, status=status)
    return verdict


GOOD, FORBIDDEN, MISSING = ("article", 200), ("error", 403), ("error", 404)
CAPTCHA, EMPTY, SILENCE = ("blocked", 200), ("empty", 200), ("error", 0)


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [FORBIDDEN] * 4,
        [GOOD, *[FORBIDDEN] * 7, GOOD],
        [MISSING] * 50,
        [GOOD, FORBIDDEN] * 50,
        [EMPTY] * 50,
        [SILENCE] * 50,
        [GOOD, *[EMPTY] * 11],
        [("list", 200)] * 50,
    ],
)
def test_this_is_no_ban(answers):
    assert verdict_on(*answers) is None


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([FORBIDDEN] * 5, "http-403"),
        ([CAPTCHA] * 5, "blocked"),
        ([GOOD, *[("error", 429)] * 8], "http-429"),
        ([GOOD] * 100 + [CAPTCHA] * 8, "blocked"),
        ([GOOD, *[FORBIDDEN, FORBIDDEN, GOOD] * 4], "http-403"),
        ([GOOD, *[EMPTY] * 12], "empty"),
        ([GOOD, *[SILENCE] * 12], "empty"),
        ([GOOD, *[CAPTCHA] * 6, *[FORBIDDEN] * 2], "blocked"),
    ],
)
def test_this_is_a_ban(answers, reason):
    assert verdict_on(*answers) == reason
