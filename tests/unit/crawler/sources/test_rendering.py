"""What a source says about rendering."""

import pytest

from crawler.sources.definition import BadSource, source_from


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"screenshot": True}, "needs render = true"),
        ({"render": True, "access": {"proxies": ["http://p:1"]}}, "do not go together"),
    ],
)
def test_what_does_not_go_together_is_told(more, told):
    with pytest.raises(BadSource, match=told):
        source_from({"name": "s", "kind": "urls", "urls": ["http://a.example/"], **more}, where="s")


def test_render_and_screenshot_are_read():
    values = {"name": "s", "kind": "urls", "urls": ["http://a.example/"], "render": True, "screenshot": True}
    found = source_from(values, where="s")
    assert (found.render, found.screenshot) == (True, True)
