"""What is taken away or replaced is shown first and asked about; a script says what it wants."""

import json
from pathlib import Path

import pytest
from support.strategies import story

pytestmark = pytest.mark.services


def titles(pindna, *options):
    return [
        json.loads(line)["title"] for line in pindna("corpus", "list", "--json", *options).stdout.splitlines()
    ]


@pytest.fixture
def shelf(pindna, tmp_path: Path):
    """Works whose titles are numbers, and one that bears such a number as its id."""
    for number, title in enumerate(("001", "003", "镜花缘")):
        (tmp_path / f"{title}.txt").write_text(story(60, number), encoding="utf-8")
        pindna("corpus", "add", f"{title}.txt", "--no-wait")
    return pindna


def test_repeated_removal_never_removes_another_work(shelf):
    """`corpus remove 003` removed the work of that title and, repeated, the work with the id 3."""
    assert "Removed “003” (id:2)" in shelf("corpus", "remove", "003", "--yes").stdout
    again = shelf("corpus", "remove", "003", "--yes", status=2)
    assert "Restore it with `pindna corpus restore id:2`" in again.stderr
    assert "write id:3" in shelf("corpus", "remove", "3", "--yes", status=2).stderr
    assert titles(shelf) == ["001", "镜花缘"]


def test_removal_without_a_terminal_needs_the_yes_option(shelf):
    refused = shelf("corpus", "remove", "镜花缘", status=2)
    assert "“镜花缘” (id:3): 1 passages" in refused.stdout
    assert "there is no terminal for a question. Answer it with --yes." in refused.stderr
    assert titles(shelf) == ["001", "003", "镜花缘"]


@pytest.mark.parametrize(("answer", "goes"), [("y\n", 1), ("是\n", 1), ("n\n", 0), ("", 0)])
def test_removal_at_a_terminal_asks_for_confirmation(shelf, answer, goes):
    asked = shelf("corpus", "remove", "镜花缘", stdin=answer.encode(), is_terminal=True)
    assert "They can be restored for 30 days. [y/N]" in asked.stderr
    assert titles(shelf) == ["001", "003", "镜花缘"][: 3 - goes]


def test_removed_work_is_restored(shelf, background_worker):  # noqa: ARG001 - it indexes
    shelf("corpus", "remove", "001", "镜花缘", "--yes")
    assert titles(shelf) == ["003"]
    assert titles(shelf, "--removed") == ["001", "镜花缘"]
    assert "镜花缘" in shelf("corpus", "list", "--removed").stdout
    assert "Restored “镜花缘” (id:3)." in shelf("corpus", "restore", "鏡花緣").stdout
    assert titles(shelf) == ["003", "镜花缘"]
    assert json.loads(shelf("corpus", "show", "镜花缘", "--json").stdout)["status"] == "indexed"
    shelf("corpus", "edition", "镜花缘", "--of", "003")
    assert "is an edition of: “003” (id:2)" in shelf("corpus", "show", "镜花缘").stdout.splitlines()
    assert shelf("corpus", "list", "--role", "background").stderr == "There is nothing to list.\n"
    assert shelf("corpus", "restore", "镜花缘", status=2).stderr.count("\n") == 1


def licensed_days(pindna):
    rows = map(json.loads, pindna("licence", "list", "镜花缘", "--json").stdout.splitlines())
    return [tuple(day and day.removesuffix("+08:00") for day in (row["from"], row["until"])) for row in rows]


def test_dated_licence_is_never_replaced_silently(shelf):
    shelf("licence", "add", "镜花缘", "book.example.cn", "--until", "2026-12-31")
    refused = shelf("licence", "add", "镜花缘", "book.example.cn", status=2)
    assert "book.example.cn may publish “镜花缘” already: until 2026-12-31 +08:00." in refused.stderr
    assert licensed_days(shelf) == [(None, "2026-12-31")]
    further = shelf("licence", "add", "镜花缘", "book.example.cn", "--from", "2027/02/01", "--add")
    assert "until 2026-12-31 +08:00; or from 2027-02-01 +08:00" in further.stdout
    assert licensed_days(shelf) == [
        (None, "2026-12-31"),
        ("2027-02-01", None),
    ]
    again = shelf("licence", "add", "镜花缘", "book.example.cn", "--until", "2026-12-31")
    assert "has this licence already" in again.stdout
    shelf("licence", "add", "镜花缘", "book.example.cn", "--replace")
    assert licensed_days(shelf) == [(None, None)]
    shelf("licence", "add", "镜花缘", "book.example.cn", "--add", "--replace", status=2)


@pytest.mark.parametrize(
    ("answer", "until"),
    [
        ("r\n", ["2027-12-31"]),
        ("a\n", ["2026-12-31", "2027-12-31"]),
        ("x\n\n", ["2026-12-31"]),
        ("", ["2026-12-31"]),
    ],
)
def test_second_licence_needs_confirmation_at_a_terminal(shelf, answer, until):
    command = "licence", "add", "镜花缘", "book.example.cn", "--until"
    shelf(*command, "2026-12-31")
    asked = shelf(*command, "2027-12-31", stdin=answer.encode(), is_terminal=True)
    assert "already: until 2026-12-31 +08:00." in asked.stderr
    assert [last for _, last in licensed_days(shelf)] == until


def test_licences_and_sources_are_shown_before_removal(shelf):
    shelf("licence", "add", "镜花缘", "book.example.cn", "--until", "2026-12-31")
    refused = shelf("licence", "remove", "镜花缘", "book.example.cn", status=2)
    assert "until 2026-12-31" in refused.stderr
    assert len(licensed_days(shelf)) == 1
    assert shelf("source", "add", "daily", "http://news.example.cn/").stderr == ""
    inner = shelf("source", "add", "inner", "http://10.0.0.5:8080/").stderr
    assert "http://10.0.0.5:8080/ is a private address" in inner
    assert "http://news.example.cn/" in shelf("source", "remove", "daily", status=2).stderr
    shelf("source", "remove", "daily", stdin=b"n\n", is_terminal=True)
    assert "daily" in shelf("source", "list").stdout
    shelf("licence", "remove", "镜花缘", "book.example.cn", "--yes")
    shelf("source", "remove", "daily", "--yes")
    assert licensed_days(shelf) == []
    assert "daily" not in shelf("source", "list").stdout


DAILY = "source", "add", "daily", "http://news.example.cn/"


def stored_source(stores):
    source = stores.sources.get("daily")
    return source.kind, source.start_urls, source.delay_s, source.enabled


def test_source_is_never_replaced_silently(pindna, stores):
    pindna(*DAILY, "--delay", 5)
    pindna("source", "disable", "daily")
    first = stored_source(stores)
    again = pindna(*DAILY, "--delay", 5).stdout
    assert again.strip() == "Source daily already has this definition; nothing was changed."
    other = "source", "add", "daily", "http://books.example.cn/7/", "--kind", "novel"
    refused = pindna(*other, status=2)
    assert refused.stderr.strip() == (
        "Source daily exists already: News site, http://news.example.cn/, pace.delay_s = 5.0. "
        "Use --replace to replace it, or choose another name."
    )
    assert stored_source(stores) == first
    pindna(*other, "--replace")
    assert stored_source(stores) == ("novel", ("http://books.example.cn/7/",), None, False)
    pindna(*DAILY, "--delay", 5, "--yes")
    assert stored_source(stores) == first


@pytest.mark.parametrize(("answer", "kind"), [("y\n", "novel"), ("n\n", "news"), ("", "news")])
def test_second_source_needs_confirmation_at_a_terminal(pindna, stores, answer, kind):
    pindna(*DAILY)
    asked = pindna(*DAILY, "--kind", "novel", stdin=answer.encode(), is_terminal=True)
    assert "Source daily exists already: News site, http://news.example.cn/." in asked.stderr
    assert "The new definition: Novel site, http://news.example.cn/." in asked.stderr
    assert "Replace it? [y/N]" in asked.stderr
    assert stored_source(stores)[0] == kind


def test_secrets_of_a_source_are_not_shown(pindna, tmp_path):
    pindna(*DAILY)
    definition = 'name = "daily"\nurls = ["http://news.example.cn/"]\n[access.cookies]\nsession = "s3cret"\n'
    (tmp_path / "daily.toml").write_text(definition, encoding="utf-8")
    pindna("source", "add", "daily.toml", "--replace")
    told = pindna(*DAILY, status=2).stderr
    assert "access.cookies = …" in told
    assert "s3cret" not in told


def test_licence_not_in_force_says_so(pindna, shelf):
    ended = shelf("licence", "add", "镜花缘", "a.example.cn", "--until", "2020-06-01")
    assert "This licence has already ended: until 2020-06-01 +08:00." in ended.stderr
    later = shelf("licence", "add", "镜花缘", "b.example.cn", "--from", "2199-01-01")
    assert not later.stderr
    both = shelf("licence", "add", "镜花缘", "a.example.cn", "--add")
    assert "until 2020-06-01 +08:00; or without terms." in both.stdout
    listed = pindna("licence", "list").stdout
    assert "until 2020-06-01 +08:00 (has ended)" in listed
    assert "from 2199-01-01 +08:00 (has not begun)" in listed
    assert listed.count("(has ") == 2
