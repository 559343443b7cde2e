"""A large report: documents of bounded size that link to each other, and nothing left out."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from support.reports import make_match, make_report

from analysis.reports import render_html as rendering
from analysis.reports.html_words import clip
from analysis.reports.paging import Piece, in_pages
from analysis.reports.pictures import make_pictures
from analysis.reports.records import CaseReport, MatchReport
from analysis.reports.render_html import render_documents, render_html
from analysis.reports.render_json import render_json
from storage.records import CHINA
from tracker.judgement.cases import case_of
from tracker.judgement.profiles import PROFILES

VOID = {"meta", "br", "option", "input", "rect", "line", "circle", "polyline", "wbr"}


class Tree(HTMLParser):
    """Sees that every element is closed, and collects ids, links and tags."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.text = [], [], [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        known = dict(attrs)
        self.ids += [known["id"]] if "id" in known else []
        self.links += [known["href"]] if tag == "a" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def tree(text):
    parsed = Tree()
    parsed.feed(text)
    assert not parsed.open
    return parsed


def large_report(cases=12, matches=30, full=3, title="第一章"):
    """A report of so many cases with so many matches each, of which the first few have texts."""
    report = make_report()
    (own,) = report.cases
    (entry,) = own.matches
    made = []
    for number in range(cases):
        site = f"site-{number}.example"
        entries = []
        for place in range(matches):
            match = make_match(
                id=f"{number}-{place}",
                page_id=f"{number}-{place}",
                number=number * matches + place + 1,
                site=site,
                url=f"https://{site}/{place}.html",
                passage_id=place + 1,
                passage_title=title,
                profile="news@3",
            )
            known = {"texts": entry.texts} if place < full else {"texts": None, "no_text": "limit"}
            entries.append(MatchReport(match=match, page=entry.page, **known))
        case = case_of([one.match for one in entries])
        made.append(CaseReport(case=case, work=own.work, matches=tuple(entries)))
    every = [entry.match for case in made for entry in case.matches]
    pictures = make_pictures(
        [case.case for case in made],
        every,
        works={own.work.id: own.work},
        presences={},
        texts={match.page_id: "x" for match in every},
        files={},
        profiles={"news@3": PROFILES["news"]},
        zone=CHINA,
    )
    return replace(report, cases=tuple(made), pictures=pictures)


@pytest.fixture
def small_pages(monkeypatch):
    """Documents of a few thousand bytes, and few rows in the report itself."""
    monkeypatch.setattr(rendering, "_DETAILS_BYTES", 40_000)
    monkeypatch.setattr(rendering, "_LINKED_BYTES", 40_000)
    monkeypatch.setattr(rendering, "LIMITS", dict(rendering.LIMITS, cases=5))


@pytest.mark.usefixtures("small_pages")
def test_every_match_of_a_large_report_is_in_its_documents():
    report = large_report()
    documents = {
        page.name: tree(page.text) for page in render_documents(report, name="r.html", language="en")
    }
    lists = [name for name in documents if "-matches-" in name]
    assert len(lists) > 1
    urls = [link for name in lists for link in documents[name].links if link.startswith("https://site-")]
    assert sorted(urls) == sorted(entry.match.url for entry in report.matches)
    shown = [name for name in documents if "-details-" in name]
    assert shown
    texts = "".join("".join(documents[name].text) for name in [*shown, "r.html"])
    assert texts.count("Stretch 1:") == 12 * 3
    assert list(documents)[-1] == "r.html"


@pytest.mark.usefixtures("small_pages")
def test_every_link_between_the_documents_leads_somewhere():
    documents = {
        page.name: tree(page.text)
        for page in render_documents(large_report(), name="a b#%.html", language="zh")
    }
    for name, parsed in documents.items():
        assert len(parsed.ids) == len(set(parsed.ids))
        for link in parsed.links:
            if not link.startswith("https:"):
                target, _, anchor = link.partition("#")
                assert anchor in documents[unquote(target) or name].ids or not anchor, (name, link)
                assert (unquote(target) or name) in documents
    cases = [link for link in documents["a b#%.html"].links if "#case-" in link]
    assert len(cases) == 5


def test_document_has_at_most_three_megabytes():
    sizes = [
        len(page.text.encode())
        for page in render_documents(large_report(cases=300, matches=10, full=1), name="r.html")
    ]
    assert max(sizes) <= 3_000_000
    assert len(sizes) >= 3


def test_small_report_is_a_single_document():
    (page,) = render_documents(make_report(), name="r.html", language="en")
    assert page.name == "r.html"
    assert page.text == render_html(make_report(), language="en")


@pytest.mark.usefixtures("small_pages")
def test_single_document_says_how_much_it_omits():
    text = render_html(large_report(cases=8), language="en")
    parsed = tree(text)
    shown = text.count('<details class="match ')
    assert f"… and {8 * 30 - shown} more matches" in text
    assert "… and 3 more cases" in text
    assert not [link for link in parsed.links if ".html" in link and not link.startswith("https:")]


HOSTILE = "<script>alert(1)</script></title></svg>\u202egnp"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_pictures_have_titles_and_no_foreign_markup(language):
    report = large_report(cases=3, matches=3, title=HOSTILE)
    text = render_html(report, language=language)
    parsed = tree(text)
    assert "svg" in parsed.tags
    assert not parsed.tags & {"script", "foreignobject", "image", "use", "style "}
    assert "\u202e" not in text
    for labels in re.findall(r'<svg [^>]*aria-labelledby="([^"]+)"', text):
        assert all(label in parsed.ids for label in labels.split())
    assert text.count('role="img"') == text.count("<svg") == 3


def test_pieces_stay_whole_and_in_order():
    pieces = [Piece(letter * size) for letter, size in (("a", 3), ("界", 2), ("c", 20), ("d", 1))]
    pages = list(in_pages(pieces, limit=9))
    assert [[piece.markup[0] for piece in page] for page in pages] == [["a", "界"], ["c"], ["d"]]
    assert list(in_pages([], limit=9)) == []


@pytest.mark.parametrize(
    ("text", "width", "clipped"),
    [("第一章", 6, "第一章"), ("第一章", 5, "第一…"), ("abc", 2, "a…"), ("", 3, "")],
)
def test_texts_are_clipped_to_columns(text, width, clipped):
    assert clip(text, width) == clipped


def test_pictures_are_in_the_json():
    known = json.loads(render_json(large_report(cases=2, matches=2)))["pictures"]
    assert known["timeline"]["steps"] == [{"start": "2025-03-01", "found": 4, "gone": 0}]
    assert known["maps"][0]["sites"] == ["site-0.example", "site-1.example"]
