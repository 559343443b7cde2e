"""Exit statuses of ``check`` for pages with two texts, and of folders with links."""

import json

import pytest
from support.strategies import story

from crawler.extraction.result import ExtractedPage
from deploy.cli.app import run_command
from storage.records import RestPiece

WORK, OTHER = story(600, 1), story(600, 2)
FRAMES = {"frames": 2}


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Run ``check --json`` on pages of which extraction says what the test says."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "a.txt").write_text(WORK, encoding="utf-8")

    def run(**pages):
        for name in pages:
            (tmp_path / f"{name}.html").write_text("<html>", encoding="utf-8")
        monkeypatch.setattr(
            "deploy.cli.check.check.extract_page", lambda raw: pages[raw.name.partition(".")[0]]
        )
        names = [f"{name}.html" for name in pages]
        status = run_command(["check", "--corpus", "works", "--json", *names])
        return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def page_with(text="", rest="", **fields):
    """What extraction says of a page."""
    piece = RestPiece(start=0, end=len(rest), reason="hidden", place="body > p")
    values = {
        "text": text,
        "rest": rest,
        "rest_pieces": (piece,) if rest else (),
        "kind": "article",
        "encoding": "utf-8",
    }
    return ExtractedPage(**{**values, **fields})


def test_fully_compared_page_without_a_match_ends_with_status_0(check):
    status, (row,) = check(a=page_with(OTHER))
    assert (status, row["verdict"], row["unread"]) == (0, "clear", {})


def test_partly_compared_page_without_a_match_ends_with_status_4(check):
    status, (row,) = check(a=page_with(OTHER, unread=FRAMES))
    assert (status, row["verdict"], row["unread"]) == (4, "clear", FRAMES)


@pytest.mark.parametrize("unread", [{}, FRAMES])
def test_match_in_the_rest_ends_with_status_1(check, unread):
    status, (row,) = check(a=page_with(OTHER, WORK, unread=unread))
    assert (status, row["verdict"], row["doubtful"]) == (1, "copy", True)
    assert row["matches"][0]["part"] == "rest"


@pytest.mark.parametrize("kind", ["list", "blocked", "incomplete", "obfuscated", "empty"])
def test_page_of_any_kind_is_compared_by_its_rest_alone(check, kind):
    status, (row,) = check(a=page_with("", WORK, kind=kind))
    assert (status, row["verdict"], row["chars"], row["rest_chars"]) == (1, "copy", 0, len(WORK))


def test_partly_compared_page_among_two_ends_with_status_4(check):
    status, rows = check(a=page_with(OTHER), b=page_with(OTHER, unread=FRAMES))
    assert status == 4
    assert [row["unread"] for row in rows] == [{}, FRAMES]


def test_page_with_too_little_text_is_an_error_and_not_clear(check):
    status, (row,) = check(a=page_with("只有几个字", kind="list", unread=FRAMES))
    assert (status, row["reason"]) == (2, "no-text-to-compare")
    assert "verdict" not in row


def test_linked_folder_of_works_is_read(check, tmp_path):
    (tmp_path / "works" / "a.txt").rename(tmp_path / "b.txt")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "b.txt").rename(tmp_path / "elsewhere" / "b.txt")
    (tmp_path / "works" / "link").symlink_to(tmp_path / "elsewhere")
    status, (row,) = check(a=page_with(WORK))
    assert (status, row["verdict"]) == (1, "copy")


def test_circular_link_makes_a_clear_check_end_with_status_4(check, tmp_path):
    (tmp_path / "works" / "back").symlink_to(tmp_path)
    status, (row,) = check(a=page_with(OTHER))
    assert (status, row["verdict"], row["left_out"]) == (4, "clear", 1)
