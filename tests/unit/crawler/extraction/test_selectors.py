# ruff: noqa: E501 - selectors side by side
"""Selectors matched together: the same elements as cssselect's XPath, in linear time and within bounds."""

import time

import pytest
from cssselect import HTMLTranslator
from cssselect import parse as parse_selectors
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.etree import XPath

from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import parse
from crawler.extraction.selectors import MAX_COMPOUNDS, MAX_SELECTOR_CHARS, Matcher, compile_selectors

compounds = st.sampled_from(
    ["*", "p", "i", ".a", ".b", "#c", "p.a", "i.a.b", "[x]", "[x=y]", "[x~=y]", "[x^=y]", "[x$='z']", "[x*=y]", "[x|=y]",
     ":first-child", "p:last-child", ":only-child", ":nth-child(2)", ".a:nth-child(2n+1)", ":nth-last-child(-n+2)",
     "p:not(.a)", "i:not([x])", ":empty", ":is(.a, #c)", "i:where(.b)", "body", ":root"]
)  # fmt: skip
combinators = st.sampled_from([" ", ">", " > ", "+", "~", " ~ "])


@st.composite
def selectors(draw):
    row = draw(compounds)
    for _ in range(draw(st.integers(0, 4))):
        row += draw(combinators) + draw(compounds)
    return row


elements = st.recursive(
    st.just(""),
    lambda inner: st.lists(
        st.tuples(
            st.sampled_from(["i", "b", "div", "section"]),
            st.sampled_from(["", " class=a", " class='a b'", " id=c", " x=y", " x='y z' class=b"]),
            inner,
        ).map(lambda parts: "<{0}{1}>{2}</{0}>".format(*parts)),
        max_size=4,
    ).map("".join),
    max_leaves=12,
)


@settings(max_examples=150)
@given(elements, st.lists(selectors(), min_size=1, max_size=8))
def test_selectors_match_the_same_elements_as_xpath(markup, rows):
    tree = parse(f"<html><body>{markup}<p></p></body></html>")
    matcher = Matcher([selector for row in rows for selector in compile_selectors(row)])
    assert all(len(compile_selectors(row)) == 1 for row in rows)
    matched = {element: matcher.numbers(matcher.mask(element)) for element in tree.iterdescendants()}
    for number, row in enumerate(rows):
        path = XPath(HTMLTranslator().css_to_xpath(row, prefix="descendant-or-self::"))
        assert {element for element, numbers in matched.items() if number in numbers} == set(path(tree)) - {
            tree
        }, row
        assert compile_selectors(row)[0].specificity == parse_selectors(row)[0].specificity()


@pytest.mark.parametrize("row", [":has(p)", "p:focus-within-x", "a:foo(1)", "p:not(i p)", " ".join("p" * 31)])
def test_unsupported_selectors_match_only_if_forgiving(row):
    assert compile_selectors(row) == ()
    tree = parse("<body><p>雾</p><a>江</a></body>")
    matcher = Matcher(compile_selectors(row, forgiving=True))
    assert any(matcher.mask(element) for element in tree.iter())


@pytest.mark.parametrize(
    "row", ["p:hover", "a:visited", "p::before", "p:", "{", "", "p" * 500, ":not(" * 2000]
)
def test_interactive_and_invalid_selectors_match_nothing(row):
    tree = parse("<body><p>雾</p></body>")
    for forgiving in (False, True):
        matcher = Matcher(compile_selectors(row, forgiving=forgiving))
        assert not any(matcher.mask(element) for element in tree.iter())


@pytest.mark.parametrize(
    ("unit", "row"),
    [
        ("<i class=x>雾</i>", ".x~.x~.x~*:not(.y)"),
        ("<div class=x>", ".x .x .x > .x"),
        ("<i class=x>雾</i>", ".x:nth-child(2n+1)"),
    ],
)
def test_matching_time_is_linear(unit, row):
    def seconds(times):
        tree = parse(f"<body>{unit * times}</body>")
        matcher = Matcher(
            [selector for number in range(200) for selector in compile_selectors(f"{row}, .a{number} {row}")]
        )
        started = time.process_time()
        assert sum(map(bool, map(matcher.mask, tree.iter())))
        return time.process_time() - started

    # Four times is linear, sixteen quadratic; the least of three is without the garbage collector's pauses.
    assert min(seconds(1_600) for _ in range(3)) < 12 * min(seconds(400) for _ in range(3))


def test_bounds_are_kept():
    with pytest.raises(OverBudget):
        Matcher(compile_selectors("p p p p") * (MAX_COMPOUNDS // 4 + 1))


def matching_ids(row, markup, *, forgiving=False):
    """Return the ids of the elements that a selector matches."""
    tree = parse(f"<html><body>{markup}</body></html>")
    matcher = Matcher(compile_selectors(row, forgiving=forgiving))
    return "".join(element.get("id") or "" for element in tree.iter() if matcher.mask(element))


@pytest.mark.parametrize(
    ("row", "ids"),
    [
        (":checked", "c"),
        (":disabled", "d"),
        ("input:enabled", "ce"),
        (":link", "l"),
        ("a:not(:link)", "m"),
        ("[lang|=zh]", "lm"),
        ("[lang^='']", ""),
        ("[lang$='']", ""),
        ("[lang*='']", ""),
        ("[lang~='zh']", "m"),
        ("i[lang='']", "n"),
        ("[lang]", "lmn"),
        ("[lang!=zh]", ""),
        ("i:empty", "n"),
        ("html:root:nth-child(1) i", "n"),
        ("input:nth-of-type(1)", ""),
        ("a:nth-child(x)", ""),
        (":nth-child(2):nth-last-child(5)", "d"),
    ],
)
def test_pseudo_classes_and_attributes_are_supported(row, ids):
    markup = (
        "<input id=c checked><input id=d disabled><input id=e>"
        "<a id=l href=/ lang=zh-CN>灯</a><a id=m lang=zh>江</a><i id=n lang=''></i>"
    )
    assert matching_ids(row, markup) == ids


def test_selectors_are_bounded_in_length_and_compounds():
    long = "." + "a" * (MAX_SELECTOR_CHARS - 1)
    assert len(compile_selectors(long)) == 1
    assert compile_selectors(f"{long}a") == compile_selectors(f"{long}a", forgiving=True) == ()
    assert len(compile_selectors(" ".join("p" * 30))[0].compounds) == 30
    assert compile_selectors(" ".join("p" * 31)) == ()


def test_forgiving_selectors_keep_the_last_compounds():
    row = f"{'b ' * 30}i.a"
    assert matching_ids(row, "<i id=i class=a>灯</i><b id=b><i id=j>江</i></b>", forgiving=True) == "i"


def test_forgiving_selectors_omit_only_unsupported_parts():
    markup = "<p id=p class=z>雾</p><p id=q>雾</p><i id=i class=z>灯</i>"
    assert matching_ids("p.z:has(i)", markup, forgiving=True) == "p"
    assert matching_ids("p:is(.z >> b)", markup, forgiving=True) == "pq"
    assert matching_ids("p.z:hover", markup, forgiving=True) == ""


def test_matching_selectors_are_numbered_in_order():
    tree = parse("<html><body><p class='a b'>雾</p></body></html>")
    matcher = Matcher(compile_selectors("p.b, i, body > .a, p p"))
    mask = matcher.mask(tree.find(".//p"))
    assert matcher.numbers(mask) == [0, 2]
    assert mask == matcher.bit(0) | matcher.bit(2)
    assert matcher.mask(tree) == 0


def test_as_many_compounds_as_allowed_are_matched():
    tree = parse("<html><body><p><p>雾</body></html>")
    matcher = Matcher(compile_selectors("p") * MAX_COMPOUNDS)
    assert len(matcher.numbers(matcher.mask(tree.find(".//p")))) == MAX_COMPOUNDS
    with pytest.raises(OverBudget):
        Matcher(compile_selectors("p") * (MAX_COMPOUNDS + 1))


@pytest.mark.parametrize(("rows", "words"), [(1, 1), (63, 1), (64, 2)])
def test_words_of_all_elements_are_bounded(monkeypatch, rows, words):
    tree = parse("<html><body><p>雾</p></body></html>")  # three elements
    for limit, is_enough in ((3 * words, True), (3 * words - 1, False)):
        monkeypatch.setattr("crawler.extraction.selectors._MAX_WORDS", limit)
        matcher = Matcher(compile_selectors("p") * rows)
        if is_enough:
            assert matcher.mask(tree.find(".//p"))
        else:
            with pytest.raises(OverBudget):
                matcher.mask(tree.find(".//p"))


def test_tests_of_all_elements_are_bounded(monkeypatch):
    tree = parse("<html><body><p>雾</p><p>灯</p></body></html>")
    first, second = tree.iter("p")
    monkeypatch.setattr("crawler.extraction.selectors._MAX_TESTS", 1)
    matcher = Matcher(compile_selectors("p:first-child"))
    assert matcher.mask(first)
    with pytest.raises(OverBudget):
        matcher.mask(second)
    only_keys = Matcher(compile_selectors("p"))
    assert only_keys.mask(first)
    assert only_keys.mask(second)
