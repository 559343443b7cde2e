"""Files are recognised by their content, whatever their name, and damaged entries cost only themselves."""

import gzip
import json
import os
import zipfile
from pathlib import Path

import pytest
from support.import_files import FORMS, NETSCAPE, OPML, RSS, SITEMAP, TELEGRAM, book_sources, workbook

from analysis.discovery import files, workbooks
from analysis.discovery.files import ImportedFile
from analysis.discovery.forms import CapturedPages, UnknownImportForm, form_of, read_rows
from analysis.discovery.titles import TitleFinder
from analysis.discovery.workbooks import BadWorkbook
from tracker.corpus.texts import EmptyFile


def rows_of(path, data):
    path.write_bytes(data)
    file = ImportedFile(path)
    return list(read_rows(file, form_of(file))), file


def resident_megabytes():
    """Return the memory of this process; a tree of 300,000 elements takes 40 megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.bin"


@pytest.mark.parametrize(("form", "data"), FORMS.items(), ids=FORMS)
def test_form_is_recognised_by_content(form, data, path):
    path.write_bytes(data)
    assert form_of(ImportedFile(path)) == form


def test_book_source_gives_site_search_rules_and_remarks(path):
    (row,), _ = rows_of(path, book_sources())
    assert row.urls == ("https://www.lamp-books.example",)
    assert row.search == "https://www.lamp-books.example/search?q={key}&p=1"
    assert row.rules.text
    assert row.rules.next_page
    assert [remark.data["rule"] for remark in row.remarks] == ["ruleContent.content", "ruleToc.chapterList"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"bookSourceType": 2}, "no-text"), ({"bookSourceUrl": "🐧"}, "no-address"), ({"searchUrl": 5}, None)],
)
def test_book_source_without_text_or_address_has_a_result(change, problem, path):
    data = json.loads(book_sources())[0] | change
    (row,), _ = rows_of(path, json.dumps(data).encode())
    assert row.problem == problem


def test_search_by_form_or_script_is_not_used(path):
    searches = ['/s,{"method":"POST","body":"k={{key}}"}', "@js:1", "/s?q={{java.get('k')}}", "/s"]
    data = [json.loads(book_sources())[0] | {"searchUrl": search} for search in searches]
    rows, _ = rows_of(path, json.dumps(data).encode())
    assert [row.search for row in rows] == ["", "", "", ""]


def test_damaged_object_costs_only_itself(path):
    data = book_sources(3).replace(b'"https://books-1.example"', b'"https://books-1.example')
    rows, _ = rows_of(path, data)
    assert [row.problem for row in rows] == [None, "damaged", None]


def test_deep_and_endless_json_ends_with_results(path):
    rows, _ = rows_of(path, b'[{"bookSourceUrl":' + b'{"a":' * 100_000)
    assert {row.problem for row in rows} == {"damaged"}
    rows, _ = rows_of(path, b'[{"bookSourceUrl": "' + b"a" * 9_000_000)
    assert {row.problem for row in rows} == {"damaged"}


def test_columns_are_recognised_by_content(path):
    rows, _ = rows_of(path, FORMS["addresses"])
    assert [(row.number, row.urls) for row in rows] == [
        (1, ()),
        (2, ("https://copy-j.example/12/",)),
        (3, ("copy-k.cn",)),
        (4, ()),
    ]


def test_workbook_gives_the_rows_of_its_sheets(path):
    workbook(path, [["书名", "网站"], ["青灯渡", "copy-l.cn"], ["雾港来信", "https://copy-m.example/1"]])
    file = ImportedFile(path)
    rows = list(read_rows(file, form_of(file)))
    assert [row.urls for row in rows] == [(), ("copy-l.cn",), ("https://copy-m.example/1",)]


def test_workbook_that_unpacks_to_too_much_is_refused(path, monkeypatch):
    monkeypatch.setattr(workbooks, "MAX_WORKBOOK_BYTES", 100)
    workbook(path, [["https://a.example/"]])
    with pytest.raises(BadWorkbook, match="too large"):
        list(read_rows(ImportedFile(path), "workbook"))


def test_telegram_message_gives_its_links_without_its_author(path):
    (first, second), _ = rows_of(path, TELEGRAM.encode())
    assert first.urls == ("https://copy-h.example/q",)
    assert "甲" not in first.text
    assert second.problem == "no-address"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_lines_are_read_in_any_encoding(encoding, path):
    rows, _ = rows_of(path, "青灯渡 https://a.example/1\r\nhttps://b.example/2".encode(encoding))
    assert [row.text for row in rows] == ["青灯渡 https://a.example/1", "https://b.example/2"]


def test_file_longer_than_the_limit_is_cut_with_a_problem(path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 1_000)
    rows, file = rows_of(path, gzip.compress(b"https://a.example/\n" * 100_000))
    assert len(rows) < 100
    assert "too long" in str(file.problem)


def test_gzip_that_ends_early_keeps_what_was_read(path):
    rows, file = rows_of(
        path, gzip.compress(b"".join(b"http://a%d.example/\n" % n for n in range(9_999)))[:-500]
    )
    assert rows
    assert "ends early" in str(file.problem)


def test_line_longer_than_the_limit_is_a_single_row(path):
    rows, _ = rows_of(path, b"https://a.example/ " + b"x" * 3_000_000 + b"\nhttps://b.example/\n")
    assert [row.number for row in rows] == [1, 2]


@pytest.mark.parametrize(
    "data", [b"\0\1\2", "只有文字".encode(), b"PK\x03\x04", b"\x1f\x8b\x08x", b'{"a": 1}', b"<html>"]
)
def test_unknown_content_is_refused(data, path):
    path.write_bytes(data)
    with pytest.raises(UnknownImportForm):
        form_of(ImportedFile(path))


@pytest.mark.parametrize(
    "data", [b"WARC/1.0\r\n", b'{"log": {"entries": []}}', b"From: <Saved by Blink>\r\n"]
)
def test_captured_pages_are_not_a_list_of_sites(data, path):
    path.write_bytes(data)
    with pytest.raises(CapturedPages):
        form_of(ImportedFile(path))


def test_entity_bomb_does_not_expand(path):
    entities = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 9))
    bomb = (
        b'<!DOCTYPE opml [<!ENTITY a0 "lol">'
        + entities
        + b']><opml><outline xmlUrl="http://a.example/&a8;"/>'
    )
    rows, _ = rows_of(path, bomb)
    assert all(len("".join(row.addresses)) < 100_000 for row in rows)


def test_titles_match_in_other_scripts_and_in_pinyin():
    finder = TitleFinder({"青灯渡": "青灯渡", "雾港": "雾港"})
    assert finder.find("看《青燈渡》") == ("青灯渡",)
    assert finder.find("https://a.example/%E9%9D%92%E7%81%AF%E6%B8%A1/") == ("青灯渡",)
    assert finder.find("/qing-deng-du/1") == ("青灯渡",)
    assert finder.find("雾港来信") == ()


def test_ampersand_in_an_address_of_an_outline_stays(path):
    outline = '<opml version="2.0"><body><outline xmlUrl="https://a.example/f?a=1&amp;b=2"/></body></opml>'
    rows, _ = rows_of(path, outline.encode())
    assert "https://a.example/f?a=1&b=2" in str(rows)


def test_empty_file_is_called_empty(path):
    for data in (b"", b"\n \n", gzip.compress(b"")):
        path.write_bytes(data)
        with pytest.raises(EmptyFile):
            form_of(ImportedFile(path))


@pytest.mark.parametrize("form", ["opml", "feed", "sitemap"])
def test_xml_list_that_is_damaged_or_cut_has_a_problem(form, path):
    whole = {"opml": OPML, "feed": RSS, "sitemap": SITEMAP}[form].encode()
    _, file = rows_of(path, whole)
    assert not file.problem.template
    for damaged in (whole[:-9], whole[: len(whole) * 2 // 3], whole.replace(b"</", b"</x<<<>", 1) + b" "):
        _, file = rows_of(path, damaged)
        assert "damaged or ends early" in str(file.problem)


def test_pictures_and_videos_of_a_sitemap_are_no_pages(path):
    spaces = "".join(
        f' xmlns:{name}="http://www.google.com/schemas/sitemap-{name}/1.1"' for name in ("image", "video")
    )
    picture = "<image:image><image:loc>https://a.example/1.png</image:loc></image:image>"
    video = "<video:video><video:player_loc>https://a.example/1.mp4</video:player_loc></video:video>"
    rows, _ = rows_of(
        path, f"<urlset{spaces}><url>{picture}{video}<loc>https://a.example/1</loc></url></urlset>".encode()
    )
    assert [row.urls for row in rows] == [("https://a.example/1",)]


@pytest.mark.parametrize("encoding", ["gbk", "utf-8", "big5"])
def test_short_names_are_read_in_their_encoding(encoding, path):
    name = "小說" if encoding == "big5" else "小说"
    rows, _ = rows_of(path, f"{name},https://a.example/1\n{name},https://b.example/2\n".encode(encoding))
    assert [row.text.partition(" ")[0] for row in rows] == [name, name]
    outline = f'<?xml version="1.0" encoding="{encoding}"?><opml><outline text="{name}" xmlUrl="http://a.example/"/></opml>'
    (row,), _ = rows_of(path, outline.encode(encoding))
    assert row.text.startswith(name)


@pytest.mark.parametrize("text", ["Pokémon café https://a.example/", "Новости https://a.example/"])
def test_other_scripts_in_utf8_stay_as_they_are(text, path):
    (row,), _ = rows_of(path, text.encode())
    assert row.text == text


def test_ampersands_that_begin_no_entity_stay_in_addresses(path):
    (row,), _ = rows_of(path, b"<urlset><url><loc>http://a.example/?a=1&b=2&amp;c=3</loc></url></urlset>")
    assert row.urls == ("http://a.example/?a=1&b=2&c=3",)


def test_endless_tag_in_bookmarks_takes_linear_time(path):
    rows, _ = rows_of(path, NETSCAPE.encode() + b"<a " + b"href " * 100_000)
    assert len(rows) == 2


def test_elements_that_are_no_cells_take_no_memory(path):
    workbook(path, [["https://a.example/"]])
    with zipfile.ZipFile(path) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").replace(b"<row>", b"<a/>" * 300_000 + b"<row>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
        book.writestr("xl/worksheets/sheet1.xml", sheet)
    rows, before = read_rows(ImportedFile(path), "workbook"), resident_megabytes()
    assert next(rows).urls == ("https://a.example/",)
    assert resident_megabytes() - before < 20
