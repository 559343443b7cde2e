"""What a source says about rendering."""

import pytest

from crawler.sources.definition import BadSource, definition_of, source_from
from storage.records import Source


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"screenshot": True}, "need render = true"),
        ({"screenshot": True, "render": "auto"}, "need render = true"),
        ({"screenshot": True, "render": False}, "need render = true"),
        ({"render": True, "access": {"proxies": ["http://p:1"]}}, "cannot be combined"),
    ],
)
def test_conflicting_options_are_reported(more, told):
    with pytest.raises(BadSource, match=told):
        source_from({"name": "s", "kind": "urls", "urls": ["http://a.example/"], **more}, where="s")


def test_render_and_screenshot_are_read():
    values = {"name": "s", "kind": "urls", "urls": ["http://a.example/"], "render": True, "screenshot": True}
    result = source_from(values, where="s")
    assert (result.render, result.screenshot) == (True, True)


def definition(**more):
    return {"name": "s", "kind": "urls", "urls": ["http://a.example/"], **more}


@pytest.mark.parametrize("render", ["auto", True, False])
def test_render_says_which_pages_are_shown(render):
    assert source_from(definition(render=render), where="s").render is render


def test_new_source_shows_the_pages_that_need_it():
    assert source_from(definition(), where="s").render == "auto"
    assert source_from(definition(access={"proxies": ["http://p:1"]}), where="s").render == "auto"


def test_other_words_than_auto_are_refused():
    with pytest.raises(BadSource, match="s: render"):
        source_from(definition(render="sometimes"), where="s")


@pytest.mark.parametrize("render", ["auto", True, False])
def test_definition_repeats_the_values_of_a_source(render):
    source = Source(name="s", kind="urls", start_urls=("http://a.example/",), render=render)
    values = definition_of(source)
    assert source_from(values, where="s").render == render
    assert ("render" in values) is (render != "auto")
