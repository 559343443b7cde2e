"""What is not known is asked back, with status 2: never an empty answer that passes for a clean one."""

import json
from pathlib import Path

import pytest
from support.strategies import story

from storage.collections.pages import page_id
from storage.records import Page

pytestmark = pytest.mark.services


@pytest.fixture
def shelf(pindna, tmp_path: Path):
    """Three works, of which one is the id of another."""
    for number, title in enumerate(("西游记", "2", "红楼梦")):
        (tmp_path / f"{title}.txt").write_text(story(60, number), encoding="utf-8")
    pindna("corpus", "add", *(f"{title}.txt" for title in ("西游记", "红楼梦", "2")), "--no-wait")
    return pindna


@pytest.mark.parametrize(
    "command",
    [
        ("corpus", "show", "{}"),
        ("licence", "list", "{}"),
        ("licence", "add", "{}", "a.cn"),
        ("report", "--work", "{}"),
        ("review", "list", "--work", "{}"),
    ],
    ids=" ".join,
)
def test_every_command_suggests_the_title_that_was_meant(shelf, command):
    for name, answer in (
        ("西游计", "There is no work called 西游计. Did you mean: 西游记?"),
        ("1", "There is no work called 1. If you mean “西游记”, which has this id, write id:1."),
    ):
        done = shelf(*(word.format(name) for word in command), status=2)
        assert done.stderr.strip() == answer
        assert not done.stdout


def test_title_in_the_other_script_is_the_same_work(shelf):
    names = "西遊記", "《西游记》", "id:1"
    shown = [json.loads(shelf("corpus", "show", name, "--json").stdout) for name in names]
    assert [row["title"] for row in shown] == ["西游记"] * 3


def test_unknown_site_gets_a_suggestion(pindna, stores):
    url = "http://127.0.0.1:8802/1.html"
    page = Page(id=page_id(url, "h"), url=url, host="127.0.0.1:8802", source="s", kind="article", text="文")
    stores.pages.see_many([page])
    for command in (("report", "--site", "8802"), ("site", "repeated", "8802")):
        done = pindna(*command, status=2)
        assert done.stderr.strip() == "There is no site called 8802. Did you mean: 127.0.0.1:8802?"
    shown = pindna("page", "show", "127.0.0.1:8802/1.html")
    assert shown.stdout.startswith(url)


def test_misspelt_source_gets_a_suggestion(pindna):
    pindna("source", "add", "daily", "news.example.cn/list", "--kind", "news")
    assert "http://news.example.cn/list" in pindna("source", "list").stdout
    for command in (("crawl", "daly"), ("source", "disable", "daly"), ("source", "remove", "daly")):
        assert (
            pindna(*command, status=2).stderr.strip()
            == "There is no source called daly. Did you mean: daily?"
        )


def test_dates_as_people_write_them(shelf):
    for number, day in enumerate(("2026/12/31", "2026-12-31", "20261231", "2026年12月31日")):
        added = shelf("licence", "add", "红楼梦", f"{number}.example", "--until", day)
        assert "until 2026-12-31" in added.stdout
    refused = shelf("licence", "add", "红楼梦", "a.example", "--until", "31.12.2026", status=2)
    assert refused.stderr.count("\n") == 1
    assert "“31.12.2026” is not a date. Write it like 2026-12-31" in refused.stderr
    assert "is not a date" in shelf("report", "--since", "gestern", status=2).stderr
