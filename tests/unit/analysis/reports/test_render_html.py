"""Reports as HTML: no text of a page becomes markup, and nothing is left out."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from support.matches import PAIR
from support.reports import make_report, report_of_rest

from analysis.reports.html_words import duration
from analysis.reports.records import NotRead
from analysis.reports.render_html import SHORT_LIMITS, render_html, render_short
from analysis.texts.excerpts import side_by_side
from analysis.words.figures import percent
from storage.records import Post, Presence
from storage.records.dates import parse_date

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    "\"'><svg/onload=alert(1)>",
    "{{ 7*7 }}{% raw %}",
    "%(num)s %s",
    "&lt;b&gt;",
    "\u202egnp.exe\u2066\u2069",
)


ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "details", "summary"),
    *("h1", "h2", "h3", "p", "a", "b", "bdi", "br", "dl", "dt", "dd", "div", "span", "ul", "li", "mark"),
    *("table", "thead", "tbody", "tr", "th", "td", "nav", "ol", "section"),
    *("form", "label", "select", "option", "input", "button", "code", "ruby", "rt", "rp", "wbr"),
}


class Collector(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        self.text.append(data)


def parse(document):
    collector = Collector()
    collector.feed(document)
    return collector


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_never_becomes_markup(build, hostile, language):
    work = replace(build().cases[0].work, title=hostile, author=hostile, holder=hostile, url=hostile)
    report = build(
        page=f"前文江水东流{hostile}",
        passage=f"江水冬流{hostile}",
        title=hostile,
        url=f"javascript:{hostile}",
    )
    case = replace(
        report.cases[0], work=work, case=replace(report.cases[0].case, site=hostile, work_title=hostile)
    )
    gone = replace(report.not_checked[0], reason=hostile, urls=(hostile,))
    page = parse(render_html(replace(report, cases=(case,), not_checked=(gone,)), language=language))
    assert page.tags <= ALLOWED
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert not [
        value
        for _, name, value in page.attributes
        if name == "href" and not re.fullmatch("#[a-z]+(-[a-z0-9]+)?", value)
    ]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", "".join(page.text))
    assert hostile[:5].replace("\u202e", "[U+202E]") in "".join(page.text)


def test_document_forbids_scripts_and_loads_nothing(build):
    document = render_html(build(), language="zh")
    attributes = parse(document).attributes
    policy = next(value for tag, name, value in attributes if tag == "meta" and name == "content")
    assert "default-src 'none'" in policy
    assert "@import" not in document
    assert "url(" not in document


def test_web_addresses_become_links_without_a_trace(build):
    attributes = parse(render_html(build(), language="en")).attributes
    links = [value for tag, name, value in attributes if (tag, name) == ("a", "href") and value[0] != "#"]
    assert links == ["https://copy.example/gone", "https://copy.example/1.html"]
    assert {value for tag, name, value in attributes if name == "rel"} == {"noopener noreferrer"}


def ruby(character, syllable):
    """A character with its syllable above it, or behind it where a browser knows no such thing."""
    return f"<ruby>{character}<rp> </rp><rt>{syllable}</rt><rp> </rp></ruby>"


def test_homophones_of_a_match_are_listed_with_their_syllables(build):
    report = build()
    (entry,) = report.cases[0].matches
    pair = replace(PAIR, times=3)
    entry = replace(entry, match=replace(entry.match, homophones=(pair,)))
    report = replace(report, cases=(replace(report.cases[0], matches=(entry,)),))
    assert '<dd><span class="word">清 qīng for 青 qīng ×3</span></dd>' in render_html(report, language="en")


def test_posts_of_a_thread_that_hold_a_copy_are_named(build):
    report = build()
    (entry,) = report.cases[0].matches
    posts = (Post(start=0, end=9, place=12, author="<北岸客>"), Post(start=10, end=19, place=13))
    entry = replace(entry, match=replace(entry.match, posts=posts))
    report = replace(report, cases=(replace(report.cases[0], matches=(entry,)),))
    named = "<dd><bdi>#12 &lt;北岸客&gt;</bdi> · <bdi>#13</bdi></dd>"
    assert named in render_html(report, language="en")


def with_span(report, page, passage, **changes):
    """The report with other texts, and its only stretch changed."""
    (entry,) = report.cases[0].matches
    match = replace(entry.match, spans=(replace(entry.match.spans[0], **changes),))
    entry = replace(entry, match=match, texts=side_by_side(match, page, passage))
    return replace(report, cases=(replace(report.cases[0], matches=(entry,)),))


def test_latin_letters_for_a_character_are_a_single_mark(build):
    report = with_span(build(), "前文江水dong流后文", "江水东流去不回", page_end=9, passage_end=4)
    document = render_html(report, language="en")
    assert '江水<mark class="latin">dong</mark>流' in document
    assert '江水<mark class="latin">东</mark>流' in document
    assert document.count('<mark class="latin">') == 2 + 1  # in the legend


@pytest.mark.parametrize(
    ("disguise", "words"), [("reversed", "is written backwards"), ("columns", "is written in columns")]
)
def test_reordered_stretch_is_described_in_words_and_not_marked(build, disguise, words):
    report = with_span(build(), "前文流东水江后文", "江水东流去不回", disguises=(disguise,))
    document = render_html(report, language="en")
    texts = document.split('<table class="texts">')[1].split("</table>")[0]
    assert f"text of this page {words}" in document
    assert "<mark" not in texts
    assert "流东水江" in texts


def test_changed_characters_are_marked_on_both_sides(build):
    report = build(page="前文江水东刘后文", passage="江水冬流去")
    document = render_html(report, language="zh")
    assert f'江水<mark class="homophone">{ruby("东", "dōng")}{ruby("刘", "liú")}</mark>' in document
    assert f'江水<mark class="homophone">{ruby("冬", "dōng")}{ruby("流", "liú")}</mark>' in document
    assert '<span class="context">前文</span>' in document


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "zh",
            (
                "受保护文本雷同情况报告",
                "全文雷同",
                "青灯渡",
                "75.0%",
                "未检查的内容及原因",
                "HTTP 状态 404",
                "2025-03-01 12:00:00",
            ),
        ),
        ("en", ("Report on copies", "Copy", "青灯渡", "75.0%", "What was not checked", "no route <i>", "g3")),
    ],
)
def test_document_describes_every_result(build, language, words):
    document = render_html(build(), language=language)
    text = "".join(parse(document).text)
    for word in words:
        assert word in text
    assert f'lang="{"zh-CN" if language == "zh" else "en"}"' in document


def test_report_without_comparisons_does_not_claim_a_clean_result(build):
    report = build(cases=())
    counts = replace(report.pages, states={"fetched": 2, "compared": 0, "failed": 3}, verdicts={})
    text = render_html(replace(report, pages=counts, works=0), language="en")
    assert "does not show whether there are copies" in text
    assert "The index contains no works" in text
    assert "5 pages were not compared" in text


def test_missing_texts_are_explained(build):
    report = build()
    entry = replace(report.cases[0].matches[0], texts=None, no_text="changed", page=None)
    document = render_html(
        replace(report, cases=(replace(report.cases[0], matches=(entry,)),)), language="en"
    )
    assert "was changed after the comparison" in document


def test_unchecked_pages_beyond_the_list_are_counted(build):
    assert "… and 2 more pages" in render_html(build(), language="en")


def test_shares_are_never_rounded_up_to_all():
    assert [percent(share) for share in (0, 0.29, 0.9996, 1)] == ["0.0%", "29.0%", "99.9%", "100%"]


def test_durations_are_formatted():
    start = datetime.fromisoformat("2025-01-01T00:00:00+00:00")
    assert duration(start, datetime.fromisoformat("2025-01-01T03:02:01+00:00")) == "3:02:01"
    assert duration(start, None) == "–"


def test_notes_that_qualify_the_figures_are_shown(build, flagged_report):
    page = render_html(flagged_report, language="en")
    for text in (
        "The licence has expired",
        "older than the work",
        "Confirmed",
        "2 stretches of common text",
        "4 characters in 1 stretch are in the background text “公文&lt;b&gt;样式”.",
        "合理&lt;i&gt;引用",
        "Decisions with reasons",
        "=授权",
        "Not everything was compared",
        "https://copy.example/long",
        ">77<",
        ">1,234<",
        ">555<",
        ">37.5%<",
        "4321 addresses were not requested.",
        "a&lt;i&gt;",
        "The crawl reached its time limit",
        ">4,321<",
        "2 compared pages were not fully compared: 31 frames and 5,200 characters.",
        "Frames that were not fetched",
        ">31 frames<",
        "https://copy.example/long",
    ):
        assert text in page, text
    assert "Decisions with reasons" not in render_html(build(), language="en")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Outside the article: hidden by a style sheet", "readers may not see this text")),
        ("zh", ("正文之外",)),
    ],
)
def test_match_outside_the_article_says_so_and_that_a_person_must_look(language, words):
    page = render_html(report_of_rest(), language=language)
    for text in words:
        assert text in page
    assert "body &gt; div.a&lt;i&gt;" in page


def test_stretches_outside_the_article_count_in_the_other_text(build):
    assert "characters 3–6 outside the article" in render_html(report_of_rest(), language="en")
    assert "outside the article" not in render_html(build(), language="en")


def test_report_with_nothing_unread_says_that_all_was_compared(build):
    whole = replace(build(), not_checked=(), scans=())
    assert "Every page in scope was compared" in render_html(whole, language="en")
    partly = replace(whole, partly_read=1, not_read=(NotRead(reason="images", pages=1, amount=4, urls=()),))
    page = render_html(partly, language="en")
    assert "Every page in scope was compared" not in page
    assert "1 compared page was not fully compared: 4 images." in page


def looked_at(report, **fields):
    """The report with a presence of its one match, and the case's sum of it."""
    (case,) = report.cases
    (entry,) = case.matches
    presence = Presence(checked=NOON + timedelta(days=3), seen=NOON, **fields)
    own = replace(
        case.case, looks={presence.state: 1}, checked=presence.checked, absent_since=presence.absent_since
    )
    known = replace(case, case=own, matches=(replace(entry, presence=presence),))
    return replace(report, cases=(known,))


def test_removed_text_is_shown_with_its_dates(build):
    absent = {"state": "gone", "absent_since": NOON + timedelta(days=2), "reason": "http-404"}
    html = render_html(looked_at(build(), **absent), language="en")
    assert "Gone · HTTP status 404 · gone since 2025-03-03" in html
    assert "last check 2025-03-04" in html
    assert "last there 2025-03-01" in html
    assert "All pages have been gone since 2025-03-03" in html
    assert "Pages with matches, by result of the last check: Gone 1" in html


def test_text_still_up_and_unchecked_text_are_shown(build):
    html = render_html(looked_at(build(), state="up"), language="en")
    assert "Still up · last check 2025-03-04" in html
    assert "gone since" not in html
    assert "not crawled since" in render_html(build(), language="en")


def test_date_without_a_time_is_shown_as_a_date(build):
    report = build()
    work = replace(report.cases[0].work, published=parse_date("2026-09-18"))
    document = render_html(replace(report, cases=(replace(report.cases[0], work=work),)), language="en")
    assert "Published: 2026-09-18 +08:00" in document
    assert "2026-09-18 08:00" not in document
    assert "2026-09-18 00:00" not in document


def test_short_version_has_summary_and_cases_and_no_text_of_a_match():
    report = make_report()
    (case,) = report.cases
    entry = replace(case.matches[0], match=replace(case.matches[0].match, page_chars=9))
    cases = (replace(case, matches=(entry,)), *[case] * 59)
    text = render_short(replace(report, cases=cases), language="en")
    assert "Report R20" in text
    assert "of one work, the largest share" in text
    assert text.count("青灯渡</bdi>") == SHORT_LIMITS["cases"]
    assert "and 20 more cases" in text
    assert "<mark" not in text
    assert "<mark" in render_html(report, language="en")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_short_version_contains_no_markup_of_strangers(hostile):
    (case,) = make_report().cases
    hostile_case = replace(case, case=replace(case.case, work_title=hostile, site=hostile))
    tags = set(re.findall(r"<([a-z0-9]+)", render_short(make_report(cases=(hostile_case,)))))
    assert tags <= ALLOWED
