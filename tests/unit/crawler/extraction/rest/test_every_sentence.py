"""A property: a sentence of any page is in the article or in the rest."""

from html import escape

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.rest_pages import SENTENCES, han, page, read

_ELEMENTS = (
    *("p", "div", "span", "b", "a", "li", "td", "h2", "button", "option", "select", "svg", "object", "label"),
    *(
        "template",
        "noscript",
        "details",
        "summary",
        "dialog",
        "video",
        "canvas",
        "ruby",
        "rt",
        "form",
        "section",
    ),
    *(
        "aside",
        "footer",
        "nav",
        "blockquote",
        "pre",
        "marquee",
        "x-y",
        "font",
        "center",
        "fieldset",
        "legend",
    ),
)
_ATTRIBUTES = (
    *(
        "",
        " hidden",
        " style='display:none'",
        " style='opacity:0'",
        " class=comments",
        " class=ad",
        " id=footer",
    ),
    *(
        " style='position:absolute;left:-999px'",
        " aria-hidden=true",
        " class=z",
        " href=/x",
        " shadowrootmode=open",
    ),
)
_NAMES = ("alt", "title", "placeholder", "value", "data-t", "aria-label", "content", "label", "zz")

sentences = st.sampled_from(SENTENCES)
leaves = st.one_of(
    sentences,
    st.tuples(sentences, st.sampled_from(_NAMES)).map(lambda leaf: f'<img {leaf[1]}="{leaf[0]}">'),
    sentences.map(lambda text: f"<script>f('{text}')</script>"),
    sentences.map(lambda text: f"<iframe srcdoc='{escape(f'<p>{text}</p>')}'></iframe>"),
    sentences.map(lambda text: f"<style>.z::before{{content:'{text}'}}</style>"),
    sentences.map(lambda text: f"<!--{text}-->"),
    sentences.map(lambda text: "".join(f"&#{ord(character)};" for character in text)),
    sentences.map(lambda text: "".join(f"<i>{character}</i>" for character in text)),
    sentences.map(
        lambda text: "".join(f"<i>{c}</i>" if n % 2 else f"<i hidden>{c}</i>" for n, c in enumerate(text))
    ),
    sentences.map(lambda text: f"<textarea>{text}</textarea>"),
    sentences.map(lambda text: f"<![CDATA[{text}]]>"),
)


def _wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    element = st.tuples(st.sampled_from(_ELEMENTS), st.sampled_from(_ATTRIBUTES), st.lists(inner, max_size=3))
    return element.map(lambda made: f"<{made[0]}{made[1]}>{''.join(made[2])}</{made[0]}>")


trees = st.recursive(leaves, _wrapped, max_leaves=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(body=trees, sheet=st.sampled_from(("", "<style>.z{display:none}</style>")))
def test_every_sentence_of_a_page_is_in_its_article_or_its_rest(body: str, sheet: str) -> None:
    result = read(page(body, head=sheet))
    article, rest = han(result.text), han(result.rest)
    plain = han(body)
    for sentence in SENTENCES:
        if han(sentence) in plain:
            assert han(sentence) in article or han(sentence) in rest
    assert "rest" not in result.failed_steps
    assert "\n".join(result.rest[piece.start : piece.end] for piece in result.rest_pieces) == result.rest
