"""Lists of addresses: every line has its result."""

import pytest

from crawler.sources.url_list import decode_list, read_list


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("https://a.example/1", "taken"),
        ("  https://a.example/2  ", "taken"),
        ("书名,https://a.example/3,2024", "taken"),
        ('"a, b"\thttps://a.example/4', "taken"),
        ("https://old.example/", "known"),
        ("HTTPS://OLD.example", "known"),
        ("javascript:alert(1)", "no-address"),
        ("<script>alert(1)</script>", "no-address"),
        ("ftp://a.example/", "no-address"),
        ("https://", "no-address"),
        ("https://a.example/\u202egpj.exe", "no-address"),
        ("https://a example/", "no-address"),
        ("http://[::1", "no-address"),
        ("书名", "no-address"),
        ("https://me:word@a.example/", "login"),
        ("http://127.0.0.1/", "inner"),
        ("http://2130706433/", "inner"),
        ("http://0x7f.1/", "inner"),
        ("http://localhost:8080/", "inner"),
        ("http://169.254.169.254/latest/meta-data/", "inner"),
        ("http://[::1]/", "inner"),
        ("http://[::ffff:10.0.0.1]/", "inner"),
        ("http://[fd00::1]/", "inner"),
        ("http://１２７.0.0.1/", "inner"),
        ("https://a.example/" + "a" * 2_000, "long"),
        ("x" * 1_000_000, "long"),
        ("https://a.example/," * 60_000, "long"),
        ('"' * 1_500, "no-address"),
    ],
)
def test_line_has_its_result(line, result):
    (own,) = read_list(line, existing=["https://old.example/"])
    assert own.result == result


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        (
            "https://a.example/2024,1203,55.html\nhttps://a.example/2024,1203,56.html",
            ["2024,1203,55.html", "2024,1203,56.html"],
        ),
        ("网址\nhttps://a.example/1,2.html", ["网址", "1,2.html"]),
        ("网址,书名\nhttps://a.example/1,书名", ["网址", "1"]),
        ("https://a.example/1,Two words\nhttps://a.example/2,One", ["1", "2"]),
        ('https://a.example/1,"甲, 乙"', ["1"]),
        ("https://a.example/1,https://a.example/2", ["1"]),
        ("https://a.example/1,2.html\t书名\n书名\thttps://a.example/3,4.html", ["1,2.html", "3,4.html"]),
    ],
)
def test_comma_within_an_address_parts_no_cells(text, addresses):
    assert [line.text.removeprefix("https://a.example/") for line in read_list(text)] == addresses


def test_lines_are_numbered_as_in_the_file_and_reported_once():
    lines = list(read_list("https://a.example/\n\n#x\nhttps://A.example\r\nhttps://b.example/"))
    assert [(line.number, line.result) for line in lines] == [
        (1, "taken"),
        (3, "no-address"),
        (4, "repeated"),
        (5, "taken"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_lists_come_in_the_encodings_of_their_writers(encoding):
    assert decode_list("书名,https://a.example/".encode(encoding)) == "书名,https://a.example/"
