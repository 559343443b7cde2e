"""When a page has settled."""

import asyncio

import pytest

pytest.importorskip("playwright")

from crawler.download.browser.settling import PageState, Settler, _is_ready

TEXT, LOADING = PageState(is_loaded=True, characters=200), PageState(is_loaded=False, characters=200)
SHORT = PageState(is_loaded=True, characters=199)


@pytest.mark.parametrize(
    ("state", "quiet_s", "left", "busy", "is_ready"),
    [
        (TEXT, 0.6, False, False, True),
        (TEXT, 0.5, False, False, False),
        (TEXT, 9, False, True, False),
        (LOADING, 9, False, False, False),
        (SHORT, 2.9, False, False, False),
        (SHORT, 3, False, False, True),
        (LOADING, 0.6, True, True, True),
        (TEXT, 0.5, True, False, False),
    ],
)
def test_page_is_ready_when_it_is_loaded_quiet_and_has_a_text(state, quiet_s, left, busy, is_ready):
    assert _is_ready(state, quiet_s=quiet_s, leaving=left, busy=busy) is is_ready


class Session:
    """Answers every expression with the next value."""

    def __init__(self, *values):
        self.values, self.methods = list(values), []

    async def send(self, method, arguments=None):
        self.methods.append((method, (arguments or {}).get("contextId")))
        if method == "Page.createIsolatedWorld":
            return {"executionContextId": 7}
        return {"result": {"value": self.values.pop(0)}}


def test_expressions_are_evaluated_in_an_isolated_world():
    session = Session("<p>", None)
    settler = Settler(session, "frame")
    assert asyncio.run(settler.evaluate("1")) == "<p>"
    assert asyncio.run(settler.evaluate("2", waits=True)) is None
    assert session.methods == [
        ("Page.createIsolatedWorld", None),
        ("Runtime.evaluate", 7),
        ("Runtime.evaluate", 7),
    ]


def test_page_with_too_many_characters_is_not_waited_for():
    settler = Settler(Session(["loading", 1001]), "frame")
    state = asyncio.run(
        settler.wait_until_settled(max_chars=1000, is_busy=lambda: True, is_left=lambda: False)
    )
    assert state == PageState(is_loaded=False, characters=1001)
