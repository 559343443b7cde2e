"""A page's rest is put together again from frames and another reading, and each leads back to the page."""

import hashlib

from support.rest_pages import DECOY, SENTENCES, page, paragraphs

from analysis.evidence.added_responses import unreferenced_responses
from analysis.evidence.documents import json_of, record_of
from analysis.evidence.rereading import ReadingInputs, ReadingPart, read_again

URL = "http://book.example.com/1.html"
FRAME = "http://book.example.com/frame.html"
WITH_FRAME = page('<iframe width=900 height=600 src="frame.html"></iframe>').encode()
COPY = f"<html><meta charset=utf-8><title>渡</title><body>{paragraphs()}</body></html>".encode()


class Here:
    """A reader that answers in this process."""

    def ask(self, question):
        return question.answer(), 0.0


def part(body, url=URL, **fields):
    return ReadingPart(url=url, sha256=hashlib.sha256(body).hexdigest(), **fields)


def bodies(*contents):
    return {hashlib.sha256(body).hexdigest(): body for body in contents}


def read(*parts):
    return read_again(ReadingInputs(parts=parts), bodies(WITH_FRAME, COPY), Here()).page


def unnamed(*parts):
    return unreferenced_responses(ReadingInputs(parts=parts), bodies(WITH_FRAME, COPY), Here())


def test_frame_text_is_in_the_rest_with_its_position():
    again = read(part(WITH_FRAME), part(COPY, FRAME, role="frame", place="body > iframe"))
    assert SENTENCES[0] not in again.text
    pieces = [piece for piece in again.rest_pieces if piece.reason == "frame"]
    assert all(piece.place.startswith("body > iframe") for piece in pieces)
    assert any(SENTENCES[0] in again.rest[piece.start : piece.end] for piece in pieces)
    assert [(added.role, added.place) for added in again.added_snapshots] == [("frame", "body > iframe")]


def test_text_of_only_another_reading_is_in_the_rest():
    for role, reason in (("plain", "markup"), ("browser", "script")):
        again = read(part(WITH_FRAME), part(COPY, role=role))
        assert DECOY[0] in again.text
        reasons = {again.rest[piece.start : piece.end]: piece.reason for piece in again.rest_pieces}
        assert reasons[SENTENCES[0]] == reason
        assert [added.role for added in again.added_snapshots] == [role]


def test_frames_belong_to_the_reading_without_a_browser():
    again = read(part(COPY), part(WITH_FRAME, role="plain"), part(COPY, FRAME, role="frame"))
    assert SENTENCES[0] in again.text
    assert DECOY[0] in again.rest
    assert [added.role for added in again.added_snapshots] == ["plain", "frame"]


def test_named_frames_and_readings_at_the_page_address_need_no_remark():
    assert unnamed(part(WITH_FRAME)) == []
    assert unnamed(part(WITH_FRAME), part(COPY, FRAME, role="frame")) == []
    assert unnamed(part(COPY), part(WITH_FRAME, role="plain"), part(COPY, FRAME, role="frame")) == []


def test_other_documents_are_named():
    elsewhere = "http://book.example.com/other.html"
    assert unnamed(part(WITH_FRAME), part(COPY, elsewhere, role="frame")) == [elsewhere]
    assert unnamed(part(COPY), part(COPY, FRAME, role="frame")) == [FRAME]
    assert unnamed(part(WITH_FRAME), part(COPY, elsewhere, role="browser")) == [elsewhere]
    assert unnamed(part(WITH_FRAME), part(COPY, "http://[::1", role="frame")) == ["http://[::1"]


def test_inputs_of_earlier_packages_contain_only_article_responses():
    recorded = json_of(ReadingInputs(parts=(part(WITH_FRAME), part(COPY))))
    for response in recorded["parts"]:
        del response["role"], response["place"]
    assert [response.role for response in record_of(ReadingInputs, recorded).parts] == ["text", "text"]
