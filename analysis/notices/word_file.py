"""Write a letter as .docx like a Chinese law firm: A4, Song, centred title, indented paragraphs."""

import io
from datetime import datetime

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_COLOR_INDEX
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt
from docx.text.paragraph import Paragraph
from docx.text.run import Run as WordRun

from analysis.notices.documents import Letter, LetterBlock, TextRun
from analysis.words.visible import one_line

_SONG, _HEI = "宋体", "黑体"
_ROMAN = "Times New Roman"
_SMALL, _BODY, _HEADING, _TITLE = Pt(10.5), Pt(12), Pt(12), Pt(18)
_INDENT = Pt(24)  # the width of two characters


def word_file(letter: Letter, *, made: datetime, author: str, footer: str) -> bytes:
    """Return a letter as the bytes of a .docx file.

    Args:
        letter: the letter.
        made: date in its properties, so the same letter gives the same file.
        author: author in its properties.
        footer: text at the foot of every page.
    """
    document = docx.Document()
    _set_page(document, footer)
    properties = document.core_properties
    properties.title, properties.author = one_line(letter.title)[:255], one_line(author)[:255]
    properties.comments = ""
    properties.created = properties.modified = made.replace(tzinfo=None)
    for block in letter.blocks:
        _write_block(document.add_paragraph(), block, is_chinese=letter.language == "zh")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _set_page(document: Document, footer: str) -> None:
    """Set paper size, margins, default font and footer."""
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.8)
    section.top_margin, section.bottom_margin = Cm(2.6), Cm(2.4)
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = _ROMAN, _BODY
    normal.element.rPr.rFonts.set(qn("w:eastAsia"), _SONG)
    language = OxmlElement("w:lang")  # programs choose the forms of characters by the language
    language.set(qn("w:val"), "en-US")
    language.set(qn("w:eastAsia"), "zh-CN")
    normal.element.rPr.append(language)
    paragraph = section.footer.paragraphs[0]
    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    _set_font(paragraph.add_run(f"{footer}　"), size=Pt(9))
    _add_page_number(paragraph)


def _add_page_number(paragraph: Paragraph) -> None:
    """Add the page number field."""
    run = paragraph.add_run()
    _set_font(run, size=Pt(9))
    for kind, instruction in (("begin", ""), ("", "PAGE"), ("end", "")):
        element = OxmlElement("w:fldChar" if kind else "w:instrText")
        if kind:
            element.set(qn("w:fldCharType"), kind)
        else:
            element.text = instruction
        run._r.append(element)  # noqa: SLF001 - python-docx has no fields


def _write_block(paragraph: Paragraph, block: LetterBlock, *, is_chinese: bool) -> None:
    _set_paragraph_format(paragraph, block, is_chinese=is_chinese)
    if block.number:
        paragraph.paragraph_format.tab_stops.add_tab_stop(_INDENT)
        _set_font(paragraph.add_run(f"{block.number}.\t"))
    for number, line in enumerate(block.lines):
        if number:
            paragraph.add_run().add_break()
        for run in line:
            _add_run(paragraph, run, block)


def _set_paragraph_format(paragraph: Paragraph, block: LetterBlock, *, is_chinese: bool) -> None:
    """Set indents, spacing and alignment of a paragraph."""
    layout = paragraph.paragraph_format
    layout.space_before = layout.space_after = Pt(0)
    layout.line_spacing = 1.5
    match block.shape:
        case "h1":
            paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
            layout.space_after = Pt(18)
        case "h2":
            layout.space_before, layout.space_after, layout.keep_with_next = Pt(10), Pt(4), True
        case "right":
            paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
            layout.keep_with_next = True
        case "item":
            layout.left_indent, layout.first_line_indent = _INDENT, -_INDENT
            layout.space_after, layout.keep_together = Pt(4), True
        case "p" if is_chinese:
            layout.first_line_indent = _INDENT
        case "p":
            layout.space_after = Pt(6)
        case "note":
            layout.space_after = Pt(12)
        case "flush":
            pass


def _add_run(paragraph: Paragraph, run: TextRun, block: LetterBlock) -> None:
    is_heading = block.shape in ("h1", "h2")
    size = {"h1": _TITLE, "h2": _HEADING, "note": _SMALL}.get(block.shape, _BODY)
    added = paragraph.add_run(run.text)
    _set_font(added, size=_SMALL if run.look == "code" else size, east_asian=_HEI if is_heading else _SONG)
    added.bold = True if is_heading or run.look in ("b", "mark") else None
    if run.look == "mark":
        added.font.highlight_color = WD_COLOR_INDEX.YELLOW


def _set_font(run: WordRun, *, size: Pt = _BODY, east_asian: str = _SONG) -> None:
    """Set the font of a run: Times for Latin letters, Song or Hei for Chinese."""
    run.font.name, run.font.size = _ROMAN, size
    run._r.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), east_asian)  # noqa: SLF001 - the same
