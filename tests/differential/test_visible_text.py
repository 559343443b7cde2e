"""What a reader sees of a protected text is in the article or in the rest, or the page says what it lacks."""

import random

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from support.differential.decoys import DECOYS
from support.differential.documents import CODINGS, SHELLS, XML_SHELLS, assembled
from support.differential.judging import Judged, judged, read_page
from support.differential.pages import (
    NAMED,
    hostile_pages,
    page_of_coding,
    page_of_one,
    page_of_shell,
    plain_page,
)
from support.differential.texts import PROTECTED, han_of

_MANY = 3_000
_FEW = 100
_CHECKS = list(HealthCheck)


def missed(page, found: Judged) -> str:
    """Return what a failure says: what was made, and what of it is missing."""
    techniques = ["+".join(fragment.names) for fragment in page.fragments]
    return f"{page.names} {techniques} {found.missing} unread={dict(found.extracted.unread)}"


def expect_read(page, screen) -> Judged:
    found = judged(page, screen)
    assert not found.missing, missed(page, found)
    return found


def test_visible_text_is_read_or_reported(screen):
    @settings(max_examples=_FEW, derandomize=True, database=None, deadline=None, suppress_health_check=_CHECKS)
    @given(hostile_pages())
    def every_page(page):
        expect_read(page, screen)

    every_page()


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
def test_visible_text_of_many_pages_is_read_or_reported(screen):
    number = random.SystemRandom().randrange(1 << 32)
    print(f"seed of the pages: {number}")  # noqa: T201 - a failure can be repeated with it
    phases = (Phase.generate, Phase.shrink)

    @seed(number)
    @settings(max_examples=_MANY, database=None, deadline=None, suppress_health_check=_CHECKS, phases=phases)
    @given(hostile_pages())
    def every_page(page):
        expect_read(page, screen)

    every_page()


@pytest.mark.parametrize("name", sorted(NAMED))
def test_each_technique_alone_is_read_or_reported(name):
    page = page_of_one(NAMED[name], seed=1)
    assert shows_nothing(name) or not unread_text(page), name
