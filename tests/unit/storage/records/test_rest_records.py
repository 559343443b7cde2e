"""The records of what is outside an article: bounded, and what is unread summed up in one way."""

from hypothesis import given
from hypothesis import strategies as st

from storage.records import (
    MAX_PLACE_CHARS,
    MAX_REST_PIECES,
    REST_REASONS,
    UNREAD_UNITS,
    Page,
    RestPiece,
    UnreadFigures,
    fitted_rest,
    unread_figures,
)
from storage.records.rest import RestReason, UnreadReason

UNREAD = st.dictionaries(st.sampled_from(list(UNREAD_UNITS)), st.integers(1, 10**6))


def pieces_of(*places, path="body > p"):
    return [RestPiece(start=start, end=end, reason="hidden", place=path) for start, end in places]


def test_tables_name_every_reason():
    assert set(REST_REASONS) == set(RestReason.__args__)
    assert set(UNREAD_UNITS) == set(UnreadReason.__args__)


def test_offsets_count_in_the_text_that_a_match_is_in():
    page = Page(id="p", url="u", host="h", source="s", kind="article", text="正文", rest="其余")
    assert (page.text_of("article"), page.text_of("rest")) == ("正文", "其余")


def test_fitting_rest_is_unchanged():
    pieces = tuple(pieces_of((0, 2), (3, 5)))
    assert fitted_rest("甲乙\n丙丁", pieces, {"frames": 1}, room=5) == ("甲乙\n丙丁", pieces, {"frames": 1})


def test_cut_rest_is_counted_and_its_pieces_end_at_the_cut():
    rest, pieces, unread = fitted_rest("甲乙\n丙丁\n戊", pieces_of((0, 2), (3, 5), (6, 7)), {}, room=4)
    assert rest == "甲乙\n丙"
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 2), (3, 4)]
    assert unread == {"limit": 3}


def test_full_page_has_no_rest():
    assert fitted_rest("甲乙", pieces_of((0, 2)), {"limit": 3}, room=-7) == ("", (), {"limit": 5})


def test_pieces_beyond_the_limit_are_joined_with_the_last():
    text = "字" * (3 * MAX_REST_PIECES)
    pieces = pieces_of(*((at, at + 2) for at in range(0, len(text), 3)), (0, 0), path="深" * 999)
    kept = fitted_rest(text, pieces[:-1] + pieces_of((len(text) - 1, len(text))), {}, room=len(text))[1]
    assert len(kept) == MAX_REST_PIECES
    assert kept[-1].end == len(text)
    assert len(kept[0].place) == MAX_PLACE_CHARS


@given(st.text(max_size=40), UNREAD, st.integers(-1, 50))
def test_fitting_twice_changes_nothing(rest, unread, room):
    pieces = pieces_of(*((at, min(at + 7, len(rest))) for at in range(0, len(rest), 7)))
    once = fitted_rest(rest, pieces, unread, room=room)
    assert fitted_rest(*once, room=room) == once
    assert len(once[0]) + once[2].get("limit", 0) == len(rest) + unread.get("limit", 0)


@given(st.lists(st.one_of(UNREAD, st.just({}))), st.integers(0, 9))
def test_figures_of_parts_add_up_to_those_of_the_whole(pages, cut):
    whole = unread_figures(pages)
    assert unread_figures(pages[:cut]) + unread_figures(pages[cut:]) == whole
    assert whole.pages == sum(map(bool, pages))
    assert whole.amounts == {
        reason: total for reason in UNREAD_UNITS if (total := sum(page.get(reason, 0) for page in pages))
    }
    assert list(whole.amounts) == [reason for reason in UNREAD_UNITS if reason in whole.amounts]


def test_pages_without_unread_content_give_no_figures():
    assert unread_figures([{}, {}]) == UnreadFigures()
