"""Every form that texts come in: its text, its headings and what it says of itself."""

import io
import tracemalloc
import zipfile
from pathlib import Path
from time import process_time

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st
from support.books import ENCRYPTION, XHTML, docx_of, epub_of, paragraphs, text, zip_of

from storage.records import CHINA
from tracker.corpus.archives import EncryptedFile, UnpacksTooFar
from tracker.corpus.content import MAX_FIELD_CHARS, LongField, OddDate, WorkMetadata, metadata_from
from tracker.corpus.epub import MissingChapters, NoBook, ProtectedBook
from tracker.corpus.forms import DEFAULT_RULES, read_content
from tracker.corpus.markdown import MAX_CHARS, BadFrontMatter
from tracker.corpus.markup import TooMuchMarkup, read_visible
from tracker.corpus.reading import read_works
from tracker.corpus.texts import BinaryFile, EmptyFile, NoHanText
from tracker.corpus.word import NoDocument, OldOrEncrypted

HERE = Path("书")


def read(name, data):
    return read_content(data.encode() if isinstance(data, str) else data, HERE / name, DEFAULT_RULES)


def work_of(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    (work,) = read_works(path)
    return work


def test_book_is_read_in_the_order_of_its_spine(tmp_path):
    chapters = {f"c {n}.xhtml": f"<h2>第{n}章<br/>雾{n}</h2>{paragraphs(n)}" for n in (1, 2, 3)}
    work = work_of(tmp_path, "a.epub", epub_of(chapters, spine=["c 2.xhtml", "c 1.xhtml", "c 3.xhtml"]))
    assert [section.title for section in work.sections] == ["第2章 雾2", "第1章 雾1", "第3章 雾3"]
    assert work.sections[0].text == f"第2章\n雾2\n{text(2)}\n"
    assert (work.title, work.author, work.language) == ("雾中船", "沈砚秋、陆行舟", "zh-CN")
    assert (work.published.iso(), work.rights, work.kind) == ("2021-05-06+08:00", "版权所有", "novel")
    assert work.remarks == ()


@pytest.mark.parametrize(
    ("name", "kind", "table"),
    [
        (
            "toc.ncx",
            'media-type="application/x-dtbncx+xml"',
            "<ncx><navPoint><navLabel>雨夜</navLabel><content src='Text/a.xhtml#top'/></navPoint></ncx>",
        ),
        (
            "nav.xhtml",
            'media-type="application/xhtml+xml" properties="nav"',
            XHTML.format('<nav><ol><li><a href="Text/a.xhtml">雨夜</a></li></ol></nav>'),
        ),
    ],
)
def test_chapters_without_headings_have_those_of_the_table_of_contents(name, kind, table):
    book = epub_of(
        {"a.xhtml": paragraphs(1), "b.xhtml": paragraphs(2)},
        items=f'<item id="toc" href="{name}" {kind}/>',
        extra={f"OEBPS/{name}": table},
    )
    assert list(read("a.epub", book).headings.items()) == [(0, "雨夜")]


def test_visible_text_of_a_book_is_read_and_nothing_else():
    body = (
        "<h1>第一章</h1><p>灯&nbsp;&mdash;<b>船</b></p><nav>目录</nav><script>码</script><p hidden=''>藏</p>"
        "<p><ruby>漢<rt>han</rt></ruby>字<!-- 注 -->江</p><pre>一\n二</pre>"
    )
    content = read("a.epub", epub_of({"a.xhtml": body}))
    assert content.text == "第一章\n灯\xa0—船\n漢字江\n一\n二\n"


def test_missing_or_damaged_chapter_is_reported_and_the_rest_is_read():
    chapters = {"a.xhtml": paragraphs(1), "b.xhtml": paragraphs(2)}
    whole = epub_of(chapters)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if not name.endswith("b.xhtml")}
    content = read("a.epub", zip_of(kept))
    assert content.text == f"{text(1)}\n"
    (remark,) = content.remarks
    assert (remark.data["path"], remark.data["names"]) == ("书/a.epub", ("OEBPS/Text/b.xhtml",))


@pytest.mark.parametrize(
    "kind",
    ["text/html", "application/XHTML+XML", "text/x-oeb1-document", "application/xml", "text/plain", ""],
)
def test_chapter_is_read_whatever_its_declared_type(kind):
    content = read("a.epub", epub_of({"a.xhtml": paragraphs(1)}, kind=kind))
    assert (content.text, content.remarks) == (f"{text(1)}\n", ())


def test_unlisted_chapter_and_non_text_chapter_are_reported():
    book = epub_of(
        {"a.xhtml": paragraphs(1)}, items='<item id="p" href="p.pdf" media-type="application/pdf"/>'
    )
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    spine = b'<spine><itemref idref="lost"/><itemref idref="p"/>'
    files["OEBPS/content.opf"] = files["OEBPS/content.opf"].replace(b"<spine>", spine)
    content = read("a.epub", zip_of(files | {"OEBPS/p.pdf": b"%PDF-1.7\n"}))
    assert content.text == f"{text(1)}\n"
    assert [(type(remark), remark.data.get("names")) for remark in content.remarks] == [
        (MissingChapters, ("lost",)),
        (BinaryFile, None),
    ]


def test_pictures_between_chapters_are_no_chapters():
    book = epub_of({"a.xhtml": paragraphs(1), "b.svg": "<svg/>"}, kind="image/svg+xml")
    with pytest.raises(NoBook, match="none of its listed chapters"):
        read("a.epub", book)


@pytest.mark.parametrize(
    ("book", "error"),
    [
        (zip_of({"a.txt": "青"}), NoBook),
        (zip_of({"META-INF/container.xml": "no XML"}), NoBook),
        (epub_of({}), NoBook),
        (epub_of({"a.xhtml": "<p>abc</p>"}), NoHanText),
        (epub_of({"a.xhtml": "<img/>"}), EmptyFile),
    ],
)
def test_invalid_book_is_refused_with_the_reason(book, error):
    with pytest.raises(error, match=r"Skipped 书/a\.epub: "):
        read("a.epub", book)


def test_protection_is_reported_but_obfuscated_fonts_are_accepted():
    chapters = {"a b.xhtml": paragraphs(1)}
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    locked = ENCRYPTION.format(aes, "OEBPS/Text/a%20b.xhtml")
    with pytest.raises(ProtectedBook, match="DRM"):
        read("a.epub", epub_of(chapters, extra={"META-INF/encryption.xml": locked}))
    for free in (
        ENCRYPTION.format("http://www.idpf.org/2008/embedding", "OEBPS/Text/a%20b.xhtml"),
        ENCRYPTION.format(aes, "OEBPS/font.otf"),
    ):
        assert read("a.epub", epub_of(chapters, extra={"META-INF/encryption.xml": free})).text


@pytest.mark.parametrize("day", ["0101-01-01T00:00:00+00:00", "2021", "2021-05"])
def test_book_without_a_day_has_no_date_and_no_remark(day):
    content = read("a.epub", epub_of({"a.xhtml": paragraphs(1)}, metadata=f"<dc:date>{day}</dc:date>"))
    assert (content.metadata.published, content.remarks) == (None, ())


def test_document_keeps_headings_and_properties(tmp_path):
    chapters = {f"第{n}章 山{n}": text(n) for n in (1, 2)}
    data = docx_of(chapters, title="山中信", author="沈砚秋", language="zh-CN")
    work = work_of(tmp_path, "稿.docx", data)
    assert [section.title for section in work.sections] == list(chapters)
    assert work.sections[1].text == f"第2章 山2\n{text(2)}\n"
    assert (work.title, work.author, work.language) == ("山中信", "沈砚秋", "zh-CN")
    assert work.published is None  # the day on which the file was made says nothing


def test_document_is_named_after_its_file_if_its_title_is_a_default(tmp_path):
    work = work_of(tmp_path, "稿.docx", docx_of({"第一章": text(1)}, title="Document1", author="python-docx"))
    assert (work.title, work.author) == ("稿", None)


def test_tables_boxes_and_insertions_of_a_document_are_read():
    document = docx.Document()
    document.add_paragraph("一")
    document.add_table(1, 1).cell(0, 0).text = "二"
    runs = "<w:ins><w:r><w:t>三</w:t></w:r></w:ins><w:del><w:r><w:delText>删</w:delText></w:r></w:del>"
    document.element.body.insert(
        2, parse_xml(f"<w:p {nsdecls('w')}>{runs}<w:r><w:tab/><w:t>尾</w:t></w:r></w:p>")
    )
    packed = io.BytesIO()
    document.save(packed)
    assert read("a.docx", packed.getvalue()).text == "一\n二\n三\t尾\n"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), OldOrEncrypted),
        (zip_of({"a.txt": "青"}), NoDocument),
        (zip_of({"[Content_Types].xml": "<Types/>", "_rels/.rels": "broken"}), NoDocument),
    ],
)
def test_invalid_document_is_refused_with_the_reason(data, error):
    with pytest.raises(error, match=r"Skipped 书/a\.docx: "):
        read("a.docx", data)


def test_markdown_loses_its_marks_and_keeps_headings(tmp_path):
    work = work_of(
        tmp_path,
        "稿.md",
        "---\ntitle: 海边\nauthors: [丙, 丁]\ndate: 2020-01-02\nlang: zh\nurl: https://a.example/1\n---\n"
        f"# 第一章 *海*\n\n他说**灯**灭了。[船](http://b)\n\n{text(1)}\n\n# 第二章\n\n> {text(2)}\n",
    )
    assert [section.title for section in work.sections] == ["第一章 海", "第二章"]
    assert work.sections[0].text.startswith("第一章 海\n他说灯灭了。船\n")
    assert (work.title, work.author, work.language) == ("海边", "丙、丁", "zh")
    assert (work.published.iso(), work.key) == ("2020-01-02+08:00", "https://a.example/1")


@pytest.mark.parametrize(
    "front",
    ["a: [", "a: &x [*x, *x]", "a: !!python/name:os.system x", "9" * 5000 + ": {}", 'a: "\\UFFFFFFFF"'],
)
def test_front_matter_of_markdown_may_be_anything(front):
    content = read("a.md", f"---\n{front}\n---\n青灯")
    assert content.text.strip() == "青灯"
    assert [type(remark) for remark in content.remarks] in ([BadFrontMatter], [])
    assert all("\n" not in str(remark) for remark in content.remarks)


@pytest.mark.parametrize(
    "value", ["!!int ''", "!!float ''", "!!bool x", "!!timestamp x", "0x" + "f" * 5000, "1" + ":59" * 4000]
)
def test_front_matter_has_no_types_that_could_fail(value):
    content = read("a.md", f"---\ntitle: {value}\nauthor: null\ndate: 2026-01-31\n---\n青灯")
    assert content.metadata.author is None
    assert content.metadata.published.at.isoformat() == "2026-01-30T16:00:00+00:00"


def test_numbers_that_python_will_not_write_are_no_titles():
    assert read("a.md", f"+++\ntitle = 0x{'f' * 5000}\nauthor = 7\n+++\n青灯").metadata == WorkMetadata(
        author="7"
    )


def test_nested_headings_are_a_single_heading():
    depth = 200
    page = "<h1>" * depth + "青灯<br/>" * 20_000 + "</h1>" * depth
    started = process_time()
    content = read_visible(page.encode(), Path("a.xhtml"))
    assert (len(content.headings), content.text) == (1, "青灯\n" * 20_000)
    assert process_time() - started < 0.5


@pytest.mark.parametrize("mark", ["<!--墨-->", "<?墨 墨?>"])
@pytest.mark.parametrize("page", ["<p>青{}灯</p>", "<p>青{}灯<br>"])
def test_comments_are_passed_over_in_linear_time(mark, page):
    started = process_time()
    content = read_visible(page.format(mark * 200_000).encode(), Path("a.xhtml"))
    assert content.text == "青灯\n"
    assert process_time() - started < 3


def test_at_most_two_tables_of_contents_are_read_and_only_once():
    item = '<item href="{}.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    links = "".join(f"<a href='Text/c.xhtml'>雾{n}</a>" for n in range(1_000))
    tables = {f"OEBPS/{name}.xhtml": f"<nav>{links}</nav>" for name in "abc"}
    items = "".join(item.format(name) for name in "a" * 1_000 + "bc")
    started = process_time()
    content = read("a.epub", epub_of({"c.xhtml": paragraphs(1)}, items=items, extra=tables))
    assert list(content.headings.values()) == ["雾0"]
    assert process_time() - started < 1


@pytest.mark.parametrize("form", ["md", "docx"])
def test_heading_is_no_longer_than_a_field(form):
    long = "灯" * (MAX_FIELD_CHARS + 1)
    content = read(f"a.{form}", f"# {long}\n" if form == "md" else docx_of({long: "青"}))
    assert content.headings == {0: long[:-1]}


def test_nested_labels_need_little_memory():
    label = "<a href='Text/c%201.xhtml'>" * 200 + "雾中" * 100_000 + "</a>" * 200
    nav = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    data = epub_of({"c 1.xhtml": paragraphs(1)}, items=nav, extra={"OEBPS/nav.xhtml": f"<nav>{label}</nav>"})
    tracemalloc.start()
    content = read("a.epub", data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert list(content.headings.values()) == ["雾中" * 100]
    assert peak < 20_000_000


def test_paragraph_with_very_many_marks_keeps_them():
    many, few = "[青" * 101, "[青](a)" * 25
    assert read("a.md", f"{many}\n\n{few}").text == f"{many}\n{'青' * 25}\n"


def test_markdown_that_takes_the_square_of_its_length_keeps_its_marks():
    for part in ("[", "![", "*a **a ", "青*"):
        content = read("a.md", "青灯\n\n" + part * 20_000)
        assert content.text.startswith("青灯\n")
    assert read("a.md", "*青*\n" * (MAX_CHARS // 4 + 1)).text.startswith("*青*")


def test_front_matter_in_toml():
    assert read("a.md", "+++\ntitle = '题'\n+++\n青灯").metadata.title == "题"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_html_is_all_that_it_shows_by_default(encoding):
    page = f"<p>一<p>二<h2>第二章</h2>{paragraphs(1)}<img src='data:,{'a' * 5000}'>"
    content = read("a.html", page.encode(encoding))
    assert content.text == f"一\n二\n第二章\n{text(1)}\n"
    assert content.headings == {4: "第二章"}


LAUGHS = '<!DOCTYPE a [<!ENTITY a "哈">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_entities_are_never_expanded():
    assert len(read_visible(f"{LAUGHS}]><p>青&i;</p>".encode(), HERE).text) < 2_000
    package = f"{LAUGHS}]><package xmlns='http://www.idpf.org/2007/opf'><title>&i;</title></package>"
    with pytest.raises(NoBook):
        read("a.epub", zip_of({"META-INF/container.xml": epub_container(), "OEBPS/content.opf": package}))
    assert len(read("a.epub", epub_of({"a.xhtml": f"青{LAUGHS}]>&i;"})).text) < 2_000


def epub_container():
    return zipfile.ZipFile(io.BytesIO(epub_of({}))).read("META-INF/container.xml")


def test_documents_of_too_many_tags_are_refused():
    with pytest.raises(TooMuchMarkup):
        read("a.html", b"<p>" * 2_000_001)
    parts = {"[Content_Types].xml": "<Types/>", "word/document.xml": b"<w:p/>" * 2_000_001}
    with pytest.raises((TooMuchMarkup, UnpacksTooFar)):
        read("a.docx", zip_of(parts))


def test_member_with_a_password_is_reported():
    data = bytearray(zip_of({"word/document.xml": "青"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(EncryptedFile, match="password"):
        read("a.docx", bytes(data))


_FIELDS = st.dictionaries(
    st.sampled_from(["title", "author", "date", "url", "lang", "rights", "书名", "作者", "日期"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.datetimes(),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=4,
    ),
)


@given(_FIELDS)
def test_any_metadata_is_storable_or_reported(values):
    metadata, remarks = metadata_from(values, HERE, CHINA)
    for name in ("title", "author", "url", "language", "rights"):
        said = getattr(metadata, name)
        assert said is None or (0 < len(said) <= 2_000 and "\0" not in said and said.encode())
    assert {type(remark) for remark in remarks} <= {OddDate, LongField}


def test_too_long_field_is_omitted_and_reported():
    metadata, (remark,) = metadata_from({"title": "题" * 2_001, "author": "沈" * 2_000}, HERE, CHINA)
    assert (metadata.title, len(metadata.author), remark.data["field"]) == (None, 2_000, "title")


@given(st.binary(max_size=300) | st.text(alphabet="<>/a=\"'&;!-[]青 \npbhr1", max_size=120).map(str.encode))
@settings(max_examples=150)
def test_any_markup_is_read_as_text(data):
    content = read_visible(data, HERE)
    content.text.encode()
    assert "\0" not in content.text
    assert all(0 <= at < len(content.text) for at in content.headings)
    assert all(content.text[at - 1 : at] in {"", "\n"} for at in content.headings)


def test_tags_of_a_book_are_bounded_over_all_its_chapters(monkeypatch):
    """Each chapter is short; hundreds of them would take minutes."""
    monkeypatch.setattr("tracker.corpus.epub._MAX_MARKUP", 5_000)
    body = "<i></i>" * 900 + paragraphs(1)
    assert read("a.epub", epub_of({"1.xhtml": body, "2.xhtml": body})).text
    with pytest.raises(TooMuchMarkup, match=r"书/a\.epub: it contains more than 5000 tags"):
        read("a.epub", epub_of({f"{number}.xhtml": body for number in range(3)}))


def test_millions_of_exact_lines_take_little_more_than_their_text():
    lines = "青\n" * 150_000
    page = f"<pre>{lines}</pre><h2>夜<br>雨</h2>".encode()
    tracemalloc.start()
    content = read_visible(page, Path("a.html"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert content.text == f"{lines}夜\n雨\n"
    assert content.headings == {300_000: "夜 雨"}
    assert peak < 30 * len(page)


def test_nested_paragraphs_are_visited_once():
    """Word only nests them in text boxes; 200 around 20,000 runs took four million steps."""
    around, own = 200, "<w:r><w:t>青</w:t><w:tab/></w:r>" * 20_000
    body = "<w:p><w:r><w:t>外</w:t></w:r>" * around + own + "</w:p>" * around
    began = process_time()
    content = read("a.docx", docx_with(body))
    assert process_time() - began < 3
    assert content.text.splitlines()[: around - 1] == ["外"] * (around - 1)
    assert content.text.splitlines()[-1].count("青") == 20_000


def docx_with(body):
    """A document with other paragraphs, at any ratio of compression."""
    source = zipfile.ZipFile(io.BytesIO(docx_of({"第一章": "青"})))
    parts = {name: source.read(name) for name in source.namelist()}
    head, *_ = parts["word/document.xml"].split(b"<w:body>")
    parts["word/document.xml"] = head + f"<w:body>{body}</w:body></w:document>".encode()
    return zip_of(parts, method=zipfile.ZIP_STORED)
