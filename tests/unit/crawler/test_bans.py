"""One odd page is no ban; many refusals are."""

import pytest

from crawler.bans import BanDetector, SiteAnswer


def verdict_on(*answers):
    refusals, verdict = BanDetector(), None
    for answer in answers:
        verdict = refusals.record_answer(answer)
    return verdict


def error(status):
    return SiteAnswer(sort="error", status=status)


def request(digest):
    """Build the answer of a page that asks for a login or for money."""
    return SiteAnswer(sort="request", digest=digest)


GOOD, FORBIDDEN, MISSING, SILENCE = SiteAnswer(sort="words"), error(403), error(404), error(0)
CAPTCHA, EMPTY = SiteAnswer(sort="wall"), SiteAnswer(sort="nothing")
PAID_CHAPTERS = [request(f"chapter {number}") for number in range(50)]


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
        PAID_CHAPTERS,
        [GOOD, *PAID_CHAPTERS],
        [GOOD, *[request("login"), GOOD] * 20],
    ],
)
def test_ordinary_answers_are_not_a_ban(answers):
    assert verdict_on(*answers) is None


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([FORBIDDEN] * 5, "http-403"),
        ([CAPTCHA] * 5, "blocked"),
        ([GOOD, *[error(429)] * 8], "http-429"),
        ([GOOD] * 100 + [CAPTCHA] * 8, "blocked"),
        ([GOOD, *[FORBIDDEN, FORBIDDEN, GOOD] * 4], "http-403"),
        ([request("login")] * 9, "blocked"),
        ([GOOD] * 20 + [request("login")] * 9, "blocked"),
        ([GOOD, *[EMPTY] * 12], "empty"),
        ([GOOD, *[SILENCE] * 12], "empty"),
        ([GOOD, *[CAPTCHA] * 6, *[FORBIDDEN] * 2], "blocked"),
    ],
)
def test_refusals_are_a_ban(answers, reason):
    assert verdict_on(*answers) == reason
