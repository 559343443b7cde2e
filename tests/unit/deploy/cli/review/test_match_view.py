"""Matches outside the article on a terminal and as JSON."""

import pytest
from support.matches import match_with

from deploy.cli.review.match_view import match_as_object, match_cells
from storage.records import RestPiece

PIECE = RestPiece(start=4, end=90, reason="comment", place="body > ul.replies")
OUTSIDE = match_with(part="rest", found_in=(PIECE,))


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


def test_row_has_the_location_below_the_verdict():
    verdict = match_cells(OUTSIDE, None)[1]
    assert verdict == (
        "Copy",
        "Outside the article: reader's comment, quotation or signature, body > ul.replies",
    )
    assert match_cells(match_with(), None)[1] == "Copy"


def test_json_has_region_and_locations():
    row = match_as_object(OUTSIDE, None)
    assert row["part"] == "rest"
    assert row["found_in"] == [{"start": 4, "end": 90, "reason": "comment", "place": "body > ul.replies"}]
    assert match_as_object(match_with(), None)["part"] == "article"
