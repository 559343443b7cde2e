"""What ``extract`` prints of a page with two texts."""

import json

import pytest

from crawler.extraction.result import ExtractedPage
from deploy.cli.app import run_command
from storage.records import RestPiece

PIECES = (
    RestPiece(start=0, end=4, reason="hidden", place="body > div.a"),
    RestPiece(start=5, end=9, reason="script"),
)
PAGE = ExtractedPage(
    kind="article",
    encoding="utf-8",
    text="江水东流",
    rest="雨夜渡口\n青灯如豆",
    rest_pieces=PIECES,
    unread={"frames": 1},
)


@pytest.fixture
def extract(tmp_path, monkeypatch, capsys):
    """Run ``extract`` on a page of which extraction says what the test says."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    path = tmp_path / "a.html"
    path.write_text("<html>", encoding="utf-8")

    def run(page, *options):
        monkeypatch.setattr("deploy.cli.page.extract.extract_page", lambda *_, **__: page)
        assert run_command(["extract", str(path), *options]) == 0
        return capsys.readouterr().out

    return run


def test_text_output_has_the_article_and_every_piece_with_its_location(extract):
    printed = extract(PAGE)
    fields, article, hidden, script = printed.split("\n\n")
    assert "1 frame could not be compared." in fields
    assert "rest" not in fields
    assert article == "江水东流"
    assert hidden == "-- Outside the article: hidden by a style sheet, body > div.a\n雨夜渡口"
    assert script.strip() == "-- Outside the article: in a script or in the page's data\n青灯如豆"


def test_json_has_rest_pieces_and_unread(extract):
    row = json.loads(extract(PAGE, "--json"))
    assert row["rest"] == PAGE.rest
    assert row["rest_pieces"][0] == {"start": 0, "end": 4, "reason": "hidden", "place": "body > div.a"}
    assert row["unread"] == {"frames": 1}


def test_page_with_an_article_alone_prints_nothing_more(extract):
    assert extract(ExtractedPage(kind="article", encoding="utf-8", text="江水东流")).endswith(
        "\n\n江水东流\n"
    )
