"""Fields of any page can be stored."""

import json

import pytest
from support.mutations import PARAGRAPHS, STORY
from support.pages import extract_page

from crawler.extraction.result import MAX_NAME_CHARS, MAX_TITLE_CHARS


def linked_data(text):
    return f'<title>渡口</title><script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize("digits", [5, 4_301, 400_000])
def test_numeric_title_is_accepted(digits):
    result = extract_page(f"<title>第{'一' * digits}章 渡口</title>")
    assert (result.text.count(STORY), result.failed_steps) == (3, ())
    assert result.chapter == (11111 if digits == 5 else None)


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ('"a\\ud800b"', "ab"),
        ('"\\u0000许\\u0007文\\u0085\\n\\t三"', "许文 三"),
        ('{"name": "\\ud83d\\ude00"}', "😀"),
        ("[" * 900 + '"许文"' + "]" * 900, "许文"),
        ("9" * 5000, None),
        ('"' + "许" * 9_999 + '"', "许" * MAX_NAME_CHARS),
    ],
)
def test_authors_in_json_can_be_stored(author, expected):
    result = extract_page(linked_data(f'{{"headline": "渡\\ud800口", "author": {author}}}'))
    # Python rejects JSON with a number of 4,301 digits, so the whole object is skipped.
    assert result.author == expected
    assert result.title == "渡口"
    assert (result.text.count(STORY), result.failed_steps) == (3, ())


@pytest.mark.parametrize(
    "head",
    [
        f"<title>{'渡' * 9_999}</title>",
        (
            f"<meta property=og:title content='{'渡' * 9_999}'>"
            f"<meta property=og:site_name content='{'口' * 9_999}'>"
        ),
        f"<title>渡口_{'口' * 9_999}</title><meta name=author content='{'文' * 9_999}'>",
        (
            f"<base href='http://x.example/{'a' * 9_999}'>"
            f"<link rel=canonical href='http://x.example/{'b' * 9_999}'>"
        ),
    ],
)
def test_fields_are_bounded(head):
    result = extract_page(
        head, f"{PARAGRAPHS}<a href='7_2.html?{'c' * 9_999}'>下一页</a><a href='8.html'>下一章</a>"
    )
    assert len(result.title) <= MAX_TITLE_CHARS
    assert len(result.author or "") <= MAX_NAME_CHARS
    assert len(result.site_name or "") <= MAX_NAME_CHARS
    # Addresses relative to an overlong base are overlong too.
    chapter = None if "<base" in head else "http://x.example/b/8.html"
    assert (result.next_page, result.next_chapter) == (None, chapter)
    assert result.text.count(STORY) == 3


def test_json_ld_gives_author_and_date():
    data = {
        "@type": "NewsArticle",
        "headline": "灯",
        "author": [{"name": "许文"}],
        "datePublished": "2025-01-02T03:04Z",
    }
    mark = "<script type='application/ld+json'>"
    head = f"{mark}{json.dumps(data)}</script>{mark}{{</script>"
    result = extract_page(head)
    assert (result.title, result.author) == ("灯", "许文")
    assert result.published.iso() == "2025-01-02T11:04+08:00"  # as readers see it
    assert result.as_dict()["published"] == "2025-01-02T11:04+08:00"
