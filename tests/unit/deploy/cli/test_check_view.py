"""What ``check`` says of a match: which work, which passage, and which came first."""

import pytest
from support.corpora import corpus_of
from support.strategies import story

from deploy.cli.check_view import as_object, show_comparison
from storage.records.dates import parse_date
from tracker.comparison import ComparedText, compare

COLUMN = story(400, 3)


@pytest.fixture
def shown(monkeypatch, capsys):
    """The lines that are printed of a text, compared with some works."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def show(works):
        result = compare(ComparedText(COLUMN), corpus_of(works))
        show_comparison("a.txt", result, 0, as_json=False)
        return result, capsys.readouterr().out.splitlines()

    return show


def test_a_passage_without_a_heading_is_named_by_its_work_and_its_number_among_several(shown):
    _, (_, line) = shown({"晚潮": [COLUMN]})
    assert line == "  晚潮: Copy, 400 characters in 1 stretch, characters 100.0%, sounds 100.0%"
    _, (_, line) = shown({"晚潮": [story(400, 4), COLUMN]})
    assert line.startswith("  晚潮 / passage 2: Copy")


@pytest.mark.parametrize(
    ("published", "said"),
    [("2019-03-04", "which bears the date 2019-03-04 +08:00."), (None, "of which no date is known.")],
)
def test_what_was_published_earlier_is_said_with_its_date(shown, published, said):
    fields = {"role": "earlier", "published": published and parse_date(published)}
    result, (_, _, note) = shown({"专栏": ([COLUMN], fields)})
    assert note == f"    Copied from an earlier publication, {said}"
    (match,) = as_object("a.txt", result)["matches"]
    assert (match["role"], match["work_published"]) == ("earlier", published and f"{published}+08:00")
