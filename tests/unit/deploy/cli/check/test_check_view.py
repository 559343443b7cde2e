"""What ``check`` says of a match: which work, which passage, and which came first."""

from dataclasses import replace

import pytest
from support.corpora import corpus_of
from support.strategies import story

from deploy.cli.check.check_view import CheckedInput, as_object, show_comparison
from storage.records import RestPiece
from storage.records.dates import parse_date
from tracker.comparison import ComparedText, RestText, compare

COLUMN = story(400, 3)


@pytest.fixture
def lines_of(monkeypatch, capsys):
    """The lines that are printed of an input that was compared."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def show(checked):
        show_comparison("a.html", checked, 0, as_json=False)
        return capsys.readouterr().out.splitlines()

    return show


@pytest.fixture
def shown(monkeypatch, capsys):
    """The lines that are printed of a text, compared with some works."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def show(works):
        result = CheckedInput(compare(ComparedText(COLUMN), corpus_of(works)))
        show_comparison("a.txt", result, 0, as_json=False)
        return result, capsys.readouterr().out.splitlines()

    return show


def test_untitled_passage_is_named_by_work_and_number(shown):
    _, (_, line) = shown({"晚潮": [COLUMN]})
    assert line == (
        "  晚潮: Copy, 400 characters in 1 stretch, characters 100.0%, sounds 100.0%, information 3,901 bits"
    )
    _, (_, line) = shown({"晚潮": [story(400, 4), COLUMN]})
    assert line.startswith("  晚潮 / passage 2: Copy")


@pytest.mark.parametrize(
    ("published", "said"),
    [("2019-03-04", ", dated 2019-03-04 +08:00."), (None, " without a known date.")],
)
def test_earlier_publication_is_named_with_its_date(shown, published, said):
    fields = {"role": "earlier", "published": published and parse_date(published)}
    result, (_, _, note) = shown({"专栏": ([COLUMN], fields)})
    assert note == f"    Copied from an earlier publication{said}"
    (match,) = as_object("a.txt", result)["matches"]
    assert (match["role"], match["work_published"]) == ("earlier", published and f"{published}+08:00")


PIECE = RestPiece(start=0, end=400, reason="hidden", place="body > div.a")
UNREAD = {"frames": 3, "limit": 5_200}


def checked_page(*, article, rest="", unread=None):
    """An input that was compared with the column."""
    other = RestText(text=ComparedText(rest), pieces=(PIECE,)) if rest else None
    found = compare(ComparedText(article), corpus_of({"晚潮": [COLUMN]}), rest=other)
    return CheckedInput(found, unread or {})


def test_match_outside_the_article_is_shown_with_its_location(lines_of):
    lines = lines_of(checked_page(article=story(300, 9), rest=COLUMN))
    assert lines[0].startswith("a.html: Copy, outside the article")
    assert lines[1:3] == [
        "  400 characters outside the article were compared too.",
        "  The verdict rests on text outside the article. A person must check it.",
    ]
    assert lines[3].startswith("  晚潮: Copy, 400 characters")
    assert lines[4:] == [
        "    Outside the article: hidden by a style sheet, body > div.a",
        "    Check the page before you decide: readers may not see this text.",
    ]


def test_match_in_the_article_has_no_location_and_no_doubt(lines_of):
    lines = lines_of(checked_page(article=COLUMN, rest=story(300, 9)))
    assert not [line for line in lines if "Outside" in line or "rests on" in line]


def test_unread_content_is_printed_below_the_verdict(lines_of):
    first, line = lines_of(checked_page(article=story(300, 9), unread=UNREAD))
    assert "Nothing found" in first
    assert line == "  3 frames and 5,200 characters could not be compared."


def test_address_that_a_browser_may_read_has_a_hint(lines_of):
    checked = replace(checked_page(article=story(300, 9), unread=UNREAD), needs_browser=True)
    assert lines_of(checked)[-1].startswith("  Run the command again with --render")


def test_json_has_regions_of_matches_and_unread_content():
    fields = as_object("a.html", checked_page(article=story(300, 9), rest=COLUMN, unread=UNREAD))
    assert (fields["chars"], fields["rest_chars"], fields["coverage"]) == (300, 400, 0)
    assert (fields["verdict"], fields["rest_verdict"], fields["doubtful"]) == ("copy", "copy", True)
    assert fields["unread"] == UNREAD
    (match,) = fields["matches"]
    assert match["part"] == "rest"
    assert match["found_in"] == [{"start": 0, "end": 400, "reason": "hidden", "place": "body > div.a"}]
    assert COLUMN[slice(*match["spans"][0]["page"])] == COLUMN


def test_json_of_a_text_has_the_new_fields_too():
    fields = as_object("a.txt", checked_page(article=COLUMN))
    assert (fields["rest_chars"], fields["rest_verdict"], fields["doubtful"]) == (0, "clear", False)
    assert fields["unread"] == {}
    assert (fields["matches"][0]["part"], fields["matches"][0]["found_in"]) == ("article", [])
