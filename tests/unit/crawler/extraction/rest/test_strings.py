"""Chinese in style sheets: escapes of characters are read, escapes of icons are not."""

import pytest

from crawler.extraction.rest.strings import may_have_chinese_strings, sheet_lines

ESCAPED = [
    r"\6e21\53e3",
    r"\6E21 \53E3 ",
    r"\006e21\0053e3",
    r"\f900\fa11",
    r"\2F00\2e80",
    r"\20000",
    r"\323af",
]


@pytest.mark.parametrize("escaped", ESCAPED)
def test_sheet_lines_read_escaped_chinese(escaped):
    lines = sheet_lines(f'.a::before{{content:"{escaped}"}}')
    assert len(lines) == 1
    assert "\\" not in lines[0]


@pytest.mark.parametrize("escaped", [r"\e601", r"\F0a9", r"\2014", r"\201c", r"\00e9", r"\a"])
def test_icons_and_marks_are_not_chinese(escaped):
    assert not may_have_chinese_strings(f'.a::before{{content:"{escaped}"}}')
