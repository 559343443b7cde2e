"""Titles of columns that sort a list, and the filters that a user applied last."""

from analysis.console.parts.sorting import Sorting
from analysis.console.parts.tables import Column
from analysis.console.recent_filters import RecentFilters

ORDERS = {"site": ("site", "-site"), "chars": ("chars", "-chars")}


def heading(name, order=""):
    sorting = Sorting("/review", {"state": "open", "order": order}, ORDERS, frozenset({"chars"}))
    column = sorting.applied_to(name, Column(name))
    return column.target, column.sorted


def test_first_click_sorts_names_ascending_and_numbers_descending():
    assert heading("site") == ("/review?state=open&order=site", "")
    assert heading("chars") == ("/review?state=open&order=-chars", "")


def test_second_click_reverses_the_order():
    assert heading("site", "site") == ("/review?state=open&order=-site", "ascending")
    assert heading("site", "-site") == ("/review?state=open&order=site", "descending")
    assert heading("chars", "-chars") == ("/review?state=open&order=chars", "descending")


def test_column_without_an_order_is_no_link():
    assert heading("verdict") == ("", "")


def test_last_filters_are_stored_by_user_and_list():
    recent = RecentFilters()
    recent.keep("ana", "/review", {"site": "a.cn", "work": ""})
    recent.keep("ana", "/review", {"site": ""})
    assert recent.of("ana", "/review") == {"site": "a.cn"}
    assert recent.of("bai", "/review") == recent.of("ana", "/works") == {}
