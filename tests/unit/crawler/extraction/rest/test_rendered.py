"""A rendered page: the browser's marks decide what is hidden and shown."""

import json

from crawler.extraction import ExtractedPage, PageContext
from tests.support.rest_pages import DECOY, SENTENCES, han, missing, page, paragraphs, read, reasons

RENDERED = PageContext(is_rendered=True)
_LINES = [{"text": line, "place": "body > article > p", "source": "page"} for line in DECOY]


def _shown(lines: list[dict[str, str]], unread: dict[str, object] | None = None) -> str:
    content = json.dumps({"lines": lines, "unread": unread or {}}, ensure_ascii=False)
    return f'<script type="application/pindna-shown+json">{content}</script>'


def _lines(source: str) -> list[dict[str, str]]:
    return [{"text": line, "place": "body > iframe > p", "source": source} for line in SENTENCES]


def _read(body: str) -> ExtractedPage:
    return read(page(body), RENDERED)


def test_elements_that_the_browser_hides_are_hidden() -> None:
    result = _read(f"<div data-pindna-hidden>{paragraphs()}</div>{_shown(_LINES)}")
    assert han(result.text) == han("".join(DECOY))
    assert reasons(result) == {"hidden"}


def test_no_style_hides_text_that_the_browser_shows() -> None:
    markup = page(_shown(_LINES)).replace("<article>", '<article style="display:none">')
    result = read(markup, RENDERED)
    assert han(result.text) == han("".join(DECOY))


def test_lines_of_frames_and_shadow_trees_are_in_the_rest() -> None:
    for source, reason in (("frame", "frame"), ("shadow", "silent"), ("content", "style")):
        result = _read(_shown([*_LINES, *_lines(source)[:3]]))
        assert reasons(result) == {reason}
        assert [piece.place for piece in result.rest_pieces if piece.reason == reason] == [
            "body > iframe > p"
        ]


def test_lines_that_the_tree_has_in_another_order_are_in_the_rest() -> None:
    shuffled = "".join(sorted("".join(SENTENCES)))
    result = _read(f"<p>{shuffled}</p>{_shown([*_LINES, *_lines('page')])}")
    assert missing(result) == []


def test_article_of_an_empty_tree_comes_from_the_browser() -> None:
    markup = (
        "<html><head><title>柳叶渡</title></head><body><h1>柳叶渡</h1><div id=app></div>"
        f"{_shown(_lines('shadow'))}</body></html>"
    )
    assert han(read(markup, RENDERED).text) == han("".join(SENTENCES))


def test_browser_reports_unread_content() -> None:
    counts: dict[str, object] = {"frames": 2, "scripts": 0, "images": True, "else": 3, "order": "4"}
    result = _read(f'<iframe src="/a.html"></iframe>{_shown(_LINES, counts)}')
    assert result.unread == {"frames": 2}


def test_marks_of_an_unrendered_page_are_ignored() -> None:
    body = f"<div data-pindna-hidden>{paragraphs()}</div>{_shown(_lines('page'), {'frames': 7})}"
    result = read(page(body))
    assert "frames" not in result.unread
    assert missing(result) == []


def test_broken_marks_are_ignored() -> None:
    body = '<script type="application/pindna-shown+json">{"lines": 7, "unread": [</script>'
    assert han(_read(body).text) == han("".join(DECOY))


def test_only_the_last_script_has_the_browsers_marks() -> None:
    result = _read(_shown(_lines("page"), {"frames": 9}) + _shown(_LINES))
    assert result.unread == {}
    assert missing(result) == list(SENTENCES)
