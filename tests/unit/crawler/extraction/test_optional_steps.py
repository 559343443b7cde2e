"""A failed step loses only its own result, never the text, and is named."""

import pytest
from support.mutations import PARAGRAPHS, STORY
from support.pages import extract_page

from crawler.extraction import PageContext, extract
from crawler.extraction.optional_steps import OptionalSteps, OverBudget
from crawler.extraction.voting import MAX_ELEMENTS
from storage.records import SiteRules


def raise_(error):
    raise error


def test_steps_that_fail_are_named_once():
    steps = OptionalSteps()
    assert steps.attempt("a", lambda: 1, otherwise=2) == 1
    assert steps.attempt("b", lambda: raise_(OverBudget()), otherwise=2) == 2
    assert steps.attempt("b", lambda: raise_(RecursionError()), otherwise=3) == 3
    with pytest.raises(KeyboardInterrupt):
        steps.attempt("c", lambda: raise_(KeyboardInterrupt()), otherwise=4)
    assert steps.failed == ["b"]


def test_failing_rules_are_named_and_lose_no_text():
    rules = SiteRules(text=("count(//p, //i)",), title="//h1[", remove=("//p[nothing()]",))
    result = extract_page("<title>渡口</title>", context=PageContext(rules=rules))
    assert result.text.count(STORY) == 3
    assert {"rules", "fields"} <= set(result.failed_steps)


def test_page_too_large_for_libraries_uses_its_block():
    teasers = "".join(
        f"<div><a href=/{n}>雾来了{n}</a><p>灯灭了，他说。</div>" for n in range(MAX_ELEMENTS // 3)
    )
    result = extract_page("<title>渡口</title>", f"<div>{PARAGRAPHS}</div>{teasers}")
    assert "opinions" in result.failed_steps
    assert result.text


def test_page_that_seems_empty_after_a_failed_step_is_unreadable():
    links = "<i><b><a href=/1>雾</a></b></i>" * 60_000
    assert extract_page(body="<a href=/1>雾</a>" * 100).kind == "list"
    result = extract_page(body=f"{links}<script>var a = '{STORY}'</script>")
    assert (result.kind, result.failed_steps[0]) == ("unreadable", "markup")


def test_page_that_cannot_be_read_at_all_is_unreadable():
    result = extract(memoryview(b"<p>"))  # a type that no step expects
    assert (result.kind, result.failed_steps, result.dropped) == ("unreadable", ("page",), {"unreadable": 3})


def test_text_after_two_thousand_elements_is_read():
    deep = "<div><i></i>" * 3_000
    result = extract_page(body=f"{deep}{PARAGRAPHS}")
    assert result.text.count(STORY) == 3
    assert result.failed_steps == ("markup",)
