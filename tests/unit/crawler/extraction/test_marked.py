"""The attributes of a page's elements."""

from crawler.extraction.marked import marked_elements
from crawler.extraction.parsing import parse

PAGE = """<body class="page wide"><p class="a b" id="first" style="color: red">灯</p>
<p class="b" hidden>渡</p><p hidden="until-found" style="">船</p><p class="b a b">桥</p></body>"""


def texts(elements):
    return [element.text for element in elements]


def test_all_names_are_collected_with_their_elements():
    marked = marked_elements(parse(PAGE))
    assert marked.names == {".page", ".wide", ".a", ".b", "#first"}
    assert texts(marked.named(".b")) == ["灯", "渡", "桥"]  # each once
    assert texts(marked.named("#first")) == ["灯"]
    assert marked.named(".none") == []


def test_styles_and_hidden_elements_need_no_name():
    marked = marked_elements(parse(PAGE))
    assert [(element.text, style) for element, style in marked.styled] == [("灯", "color: red"), ("船", "")]
    assert texts(marked.hidden) == ["渡"]  # what a search in the page shows is not hidden
