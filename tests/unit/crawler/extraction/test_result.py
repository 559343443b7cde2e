"""A result can be stored: of bounded length, without control characters."""

from crawler.extraction import ExtractedPage, extract
from crawler.extraction.result import MAX_TEXT_CHARS, TOO_LONG, field_text, storable_result


def test_overlong_text_is_cut_and_counted():
    result = storable_result(
        ExtractedPage(
            kind="article", encoding="utf-8", text="雾" * MAX_TEXT_CHARS, whole="雾" * MAX_TEXT_CHARS + "灯江"
        )
    )
    assert (len(result.text), len(result.whole)) == (MAX_TEXT_CHARS, MAX_TEXT_CHARS)
    assert result.dropped == {TOO_LONG: 2}
    result = extract(f"<p>{'雾来了。' * 800_000}".encode())
    assert (len(result.text), result.failed_steps) == (MAX_TEXT_CHARS, ("length",))


def test_fields_are_a_single_line():
    assert field_text(" a\tb\n\x00c\u2028d\ud800 \x1b[0m ", max_chars=99) == "a b c d [0m"
    assert field_text("雾 灯", max_chars=2) == "雾"
