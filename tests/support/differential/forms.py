"""Ways in which paragraphs are marked up: elements, attributes and style sheets that show text."""

import re
from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import quote

from support.differential.fragments import Choices, Fragment, Technique

_SENTENCE = re.compile("[^。！？：]+[。！？：”]*")
_CLAUSE = re.compile("[^，。！？：；、]+[，。！？：；、”]*")
Form = Callable[[Sequence[str], Choices], Fragment]


def sentences(paragraphs: Sequence[str]) -> list[str]:
    return [piece for paragraph in paragraphs for piece in _SENTENCE.findall(paragraph)]


def clauses(paragraphs: Sequence[str]) -> list[str]:
    return [piece for paragraph in paragraphs for piece in _CLAUSE.findall(paragraph)]


def chunks(paragraphs: Sequence[str], size: int) -> list[str]:
    text = "".join(paragraphs)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _each(before: str, after: str, pieces=list, *, around: tuple[str, str] = ("", ""), css: str = "") -> Form:
    """Return a form that puts each piece between two strings: ‡ in them is the piece, ¶ a class name."""

    def form(paragraphs: Sequence[str], choices: Choices) -> Fragment:
        name = choices.class_name()
        parts = "".join(f"{before}{piece if after else ''}{after}" for piece in pieces(paragraphs))
        html = f"{around[0]}{parts}{around[1]}".replace("¶", name)
        return Fragment(html=html, css=css.replace("¶", name))

    return form


def _filled(markup: str, pieces=list, *, around: tuple[str, str] = ("", ""), css: str = "") -> Form:
    """Return a form that puts each piece at the ‡ of some markup, quoted for attributes."""

    def form(paragraphs: Sequence[str], choices: Choices) -> Fragment:
        name = choices.class_name()
        parts = "".join(markup.replace("‡", escape(piece)) for piece in pieces(paragraphs))
        return Fragment(html=f"{around[0]}{parts}{around[1]}".replace("¶", name), css=css.replace("¶", name))

    return form


def _lines(size: int):
    return lambda paragraphs: chunks(paragraphs, size)


def _joined(paragraphs: Sequence[str]) -> list[str]:
    return ["".join(paragraphs)]


def _unpunctuated(paragraphs: Sequence[str]) -> list[str]:
    return [re.sub("[，。！？：；、“”]", "", clause) for clause in clauses(paragraphs)]


_PLAIN = {
    "p": _each("<p>", "</p>"),
    "div": _each("<div>", "</div>"),
    "br": _each("", "<br/>", around=("<div>", "</div>")),
    "br-indented": _each("　　", "<br/><br/>", around=("<div>", "</div>")),
    "one-line": _each("<div>", "</div>", _joined),
    "pre": _each("", "\n", clauses, around=("<pre>", "</pre>")),
    "textarea-lines": _each("", "\n", around=('<textarea cols="80" rows="30">', "</textarea>")),
}
_ELEMENTS = {
    "li": _each("<li>", "</li>", sentences, around=("<ul>", "</ul>")),
    "li-short": _each("<li>", "</li>", _lines(9), around=("<ol>", "</ol>")),
    "li-no-marks": _each("<li>", "</li>", _unpunctuated, around=("<ul>", "</ul>")),
    "li-char": _each("<li>", "</li>", _lines(1), around=('<ul style="line-height:1">', "</ul>")),
    "links": _each('<p><a href="/x">', "</a></p>", sentences),
    "links-list": _each('<li><a href="/x">', "</a></li>", _unpunctuated, around=("<ul>", "</ul>")),
    "links-only": _each('<a href="/book/2.html">', "</a> ", clauses),
    "td": _each("<tr><td>", "</td></tr>", sentences, around=("<table><tbody>", "</tbody></table>")),
    "td-char": _each(
        "<td>", "</td>", _lines(1), around=("<table><tbody><tr>", "</tr></tbody></table>"), css=""
    ),
    "td-wide": _each(
        "<td>",
        "</td>",
        _lines(12),
        around=('<table cellspacing="0"><tbody><tr>', "</tr></tbody></table>"),
    ),
    "dl": _each("<dt>", "</dt>", sentences, around=("<dl>", "</dl>")),
    "dd": _each("<dd>", "</dd>", clauses, around=("<dl>", "</dl>")),
    "headings": _each("<h2>", "</h2>", sentences),
    "heading-one": _each("<h1>", "</h1>", _joined),
    "caption": _each("<caption>", "</caption>", _joined, around=("<table>", "</table>")),
    "figcaption": _each("<figure><figcaption>", "</figcaption></figure>"),
    "button": _each("<button>", "</button>", clauses),
    "button-disabled": _each('<button disabled="">', "</button><br/>", sentences),
    "button-one": _each('<button style="font-size:16px">', "</button>"),
    "option": _each("<option>", "</option>", clauses, around=('<select size="120">', "</select>")),
    "option-multiple": _each(
        "<option>", "</option>", clauses, around=('<select multiple="" size="100">', "</select>")
    ),
    "optgroup": _filled(
        '<optgroup label="‡"><option>x</option></optgroup>',
        clauses,
        around=('<select size="120">', "</select>"),
    ),
    "option-label": _filled(
        '<option label="‡">x</option>', clauses, around=('<select size="120">', "</select>")
    ),
    "option-chosen": _filled('<select><option selected="">‡</option></select><br/>', sentences),
    "textarea": _each('<textarea cols="70" rows="7">', "</textarea>"),
    "textarea-readonly": _each(
        '<textarea readonly="" style="border:0;resize:none;width:90%;height:200px">', "</textarea>"
    ),
    "label": _each("<label>", "</label>", sentences),
    "legend": _each("<fieldset><legend>", "</legend></fieldset>", sentences),
    "summary": _each("<details><summary>", "</summary>目录</details>", sentences),
    "details": _each('<details open=""><summary>x</summary>', "</details>"),
    "output": _each("<output>", "</output>", sentences),
    "marquee": _each('<marquee behavior="slide" scrollamount="0">', "</marquee>", _lines(40)),
    "address": _each("<address>", "</address>"),
    "blockquote": _each("<blockquote>", "</blockquote>"),
    "q": _each("<q>", "</q>", sentences),
    "code": _each("<code>", "</code><br/>", clauses),
    "samp": _each("<pre><samp>", "</samp></pre>", sentences),
    "kbd": _each("<kbd>", "</kbd>", sentences),
    "small": _each("<small>", "</small>", sentences),
    "sup": _each("<p><sup>", "</sup></p>", clauses),
    "time": _each("<time>", "</time>", sentences),
    "abbr": _each("<abbr>", "</abbr>", sentences),
    "cite": _each("<p><cite>", "</cite></p>"),
    "footer-p": _each("<footer><p>", "</p></footer>"),
    "aside": _each("<aside>", "</aside>"),
    "nav": _each("<a>", "</a><br/>", sentences, around=("<nav>", "</nav>")),
    "custom": _each("<x-line>", "</x-line><br/>", sentences),
    "svg-text": _each(
        '<svg width="800" height="20"><text x="0" y="16" font-size="16">', "</text></svg>", _lines(40)
    ),
    "svg-tspan": _each(
        '<tspan x="0" dy="22">',
        "</tspan>",
        _lines(40),
        around=('<svg width="800" height="700"><text y="10" font-size="16">', "</text></svg>"),
    ),
    "svg-foreign": _each(
        '<p xmlns="http://www.w3.org/1999/xhtml">',
        "</p>",
        around=(
            '<svg width="850" height="800"><foreignObject width="850" height="800">',
            "</foreignObject></svg>",
        ),
    ),
    "svg-link": _each(
        '<svg width="800" height="20"><a><text x="0" y="16" font-size="16">', "</text></a></svg>", _lines(40)
    ),
    "svg-text-path": _each(
        '<svg width="820" height="24"><path id="¶" d="M0 18H820" fill="none"/><text font-size="16">'
        '<textPath href="#¶">',
        "</textPath></text></svg>",
        _lines(30),
    ),
    "svg-use": _each(
        '<svg width="820" height="24"><defs><text id="¶" y="18" font-size="16">',
        '</text></defs><use href="#¶"/></svg>',
        lambda paragraphs: chunks(paragraphs, 45)[:1],
    ),
    "svg-symbol": _each(
        '<svg width="820" height="24"><symbol id="¶"><text y="18" font-size="16">',
        '</text></symbol><use href="#¶"/></svg>',
        lambda paragraphs: chunks(paragraphs, 45)[:1],
    ),
    "math-text": _each("<p><math><mtext>", "</mtext></math></p>", _lines(40)),
    "math-identifier": _each("<math><mi>", "</mi></math> ", _lines(12)),
    "math-error": _each("<div><math><merror><mtext>", "</mtext></merror></math></div>", _lines(30)),
    "ruby-text": _each('<ruby>x<rt style="font-size:16px">', "</rt></ruby><br/>", clauses),
    "object-fallback": _each('<object data="/nosuch" type="x/y">', "</object><br/>", sentences),
    "datalist": _each(
        "<option>", "</option>", clauses, around=('<datalist style="display:block">', "</datalist>")
    ),
    "slot": _each("<slot>", "</slot><br/>", sentences),
    "noembed": _each('<noembed style="display:block">', "</noembed>"),
    "noframes": _each('<noframes style="display:block">', "</noframes>"),
    "script-shown": _each('<script type="text/plain" style="display:block">', "</script>"),
    "style-shown": _each('<style style="display:block" type="x/y">', "</style>"),
    "style-comment-shown": _each('<style style="display:block">/*', "*/</style>"),
    "title-svg-shown": _each('<svg width="900" height="1"></svg><p>', "</p>"),
    "xmp": _each("<xmp>", "</xmp>", _lines(40)),
    "listing": _each("<listing>", "</listing>", _lines(40)),
    "meter": _each("<meter></meter><p>", "</p>"),
    "dir": _each("<li>", "</li>", sentences, around=("<dir>", "</dir>")),
}
_ATTRIBUTES = {
    "input-value": _filled('<input size="90" value="‡"/>', sentences),
    "input-readonly": _filled('<input readonly="" type="text" size="90" value="‡"/>', _lines(38)),
    "input-search": _filled('<input type="search" style="width:800px" value="‡"/>', _lines(38)),
    "input-button": _filled('<input type="button" value="‡"/>', clauses),
    "input-submit": _filled('<input type="submit" value="‡"/><br/>', sentences),
    "input-reset": _filled('<input type="reset" value="‡"/><br/>', sentences),
    "input-unknown-type": _filled('<input type="novel" style="width:800px" value="‡"/>', _lines(38)),
    "input-placeholder": _filled(
        '<input class="¶" placeholder="‡" style="width:800px"/>',
        _lines(38),
        css=".¶::placeholder{color:#000}",
    ),
    "input-placeholder-grey": _filled('<input placeholder="‡" style="width:800px"/>', _lines(38)),
    "textarea-placeholder": _filled('<textarea placeholder="‡" cols="80" rows="7"></textarea>'),
    "img-alt": _filled('<p><img alt="‡" src="/nosuch.png"/></p>'),
    "img-alt-no-src": _filled('<p><img alt="‡"/></p>', sentences),
    "img-alt-bad-data": _filled('<p><img alt="‡" src="data:image/png,x"/></p>', sentences),
    "input-image-alt": _filled('<p><input type="image" alt="‡" src="/nosuch.png"/></p>', sentences),
    "attr-content": _filled('<p data-t="‡" class="¶"></p>', css=".¶::before{content:attr(data-t)}"),
    "attr-content-after": _filled('<p title="‡" class="¶"></p>', css=".¶:after{content:'' attr(title) ''}"),
    "attr-content-id": _filled('<p id="‡" class="¶"></p>', sentences, css=".¶::before{content:attr(id)}"),
    "attr-content-class": _filled(
        '<p class="‡ ¶"></p>', _unpunctuated, css=".¶::before{content:attr(class)}"
    ),
    "attr-content-href": _filled(
        '<a href="‡" class="¶"></a>', sentences, css=".¶::before{content:attr(href)}"
    ),
    "attr-content-aria": _filled(
        '<p aria-label="‡" class="¶"></p>', css=".¶::before{content:attr(aria-label)}"
    ),
    "attr-content-lang": _filled('<p lang="‡" class="¶"></p>', css=".¶::before{content:attr(lang)}"),
    "attr-content-hr": _filled(
        '<hr data-x="‡" class="¶"/>',
        css=".¶{border:0;height:auto;overflow:visible}.¶::before{content:attr(data-x)}",
    ),
    "attr-marker": _filled(
        '<li data-x="‡" class="¶"></li>',
        sentences,
        css=".¶{list-style-position:inside}.¶::marker{content:attr(data-x)}",
    ),
    "style-content": _filled('<p class="¶" style="--t:\'‡\'"></p>', css=".¶::before{content:var(--t)}"),
    "style-list": _filled("<li style=\"list-style:inside '‡'\">&#160;</li>", sentences),
    "style-quotes": _filled(
        "<p class=\"¶\" style=\"quotes:'‡' 'x'\"></p>", css=".¶::before{content:open-quote}"
    ),
    "xlink-attr": _filled('<p data-a-b.c="‡" class="¶"></p>', css=".¶::before{content:attr(data-a-b\\.c)}"),
    "cite-attr": _filled('<q cite="‡" class="¶"></q>', sentences, css=".¶::before{content:attr(cite)}"),
    "details-name": _filled(
        '<details><summary class="¶" data-t="‡"></summary></details>',
        sentences,
        css=".¶::after{content:attr(data-t)}",
    ),
    "meta-shown": _filled(
        '<meta name="description" content="‡" class="¶"/>',
        css=".¶{display:block}.¶::before{content:attr(content)}",
    ),
    "alt-content": _filled('<p data-t="‡" class="¶"></p>', css=".¶::before{content:attr(data-t) / 'x'}"),
    "attr-typed": _filled(
        '<p data-t="‡" class="¶"></p>', css=".¶::before{content:attr(data-t raw-string,'x')}"
    ),
}


def _css_string(text: str) -> str:
    return '"' + text + '"'


def _css_escapes(text: str) -> str:
    return '"' + "".join(f"\\{ord(char):x} " for char in text) + '"'


def _css_long_escapes(text: str) -> str:
    return "'" + "".join(f"\\{ord(char):06X}" for char in text) + "'"


def _css_pieces(text: str) -> str:
    return " ".join(f"'{text[start : start + 4]}'" for start in range(0, len(text), 4))


def _css_lines(text: str) -> str:
    return '"' + "\\\n".join(text[start : start + 7] for start in range(0, len(text), 7)) + '"'


_QUOTINGS = (_css_string, _css_escapes, _css_long_escapes, _css_pieces, _css_lines)


def _generated(rule: str, *, markup: str = '<p class="¶"></p>', pieces=list) -> Form:
    """Return a form whose text is in a style sheet: ‡ in the rule is the quoted text."""

    def form(paragraphs: Sequence[str], choices: Choices) -> Fragment:
        html, css = "", ""
        quoting = choices.pick(_QUOTINGS)
        for piece in pieces(paragraphs):
            name = choices.class_name()
            html += markup.replace("¶", name)
            css += rule.replace("¶", name).replace("‡", quoting(piece)) + "\n"
        return Fragment(html=html, css=css)

    return form


_GENERATED = {
    "content-before": _generated(".¶::before{content:‡}"),
    "content-after": _generated(".¶:after{content:‡}"),
    "content-element": _generated("p.¶::before{content:''}.¶::after{content:‡;display:block}"),
    "content-media": _generated("@media screen{.¶::before{content:‡}}"),
    "content-nested": _generated(".¶{&::before{content:‡}}"),
    "content-fallback": _generated(".¶::before{content:var(--nosuch,‡)}"),
    "content-alt": _generated(".¶::before{content:‡ / 'x'}"),
    "content-layer": _generated("@layer a{.¶::before{content:‡}}"),
    "content-is": _generated(":is(.¶,#nosuch)::before{content:‡}"),
    "content-where": _generated(":where(body .¶):before{content:‡}"),
    "content-not": _generated(".¶:not(#nosuch,:hover)::before{content:‡}"),
    "content-has": _generated("p:has(>i.¶)::before{content:‡}", markup='<p><i class="¶"></i></p>'),
    "content-nth": _generated(":nth-child(n of .¶)::after{content:‡}"),
    "content-container": _generated(
        ".¶{container-type:inline-size}@container (min-width:9px){.¶ i::before{content:‡}}",
        markup='<p class="¶"><i></i></p>',
    ),
    "content-supports": _generated("@supports (display:grid){.¶::before{content:‡}}"),
    "content-scope": _generated("@scope (.¶){:scope::before{content:‡}}"),
    "content-nested-is": _generated("body{:is(.¶)::before{content:‡}}"),
    "content-nested-twice": _generated("body{p&,& p{&.¶{&::before{content:‡}}}}"),
    "content-case": _generated(".¶::BEFORE{CONTENT:‡}"),
    "content-escaped": _generated(".¶::b\\65 fore{c\\6fntent:‡}"),
    "content-counter": _generated(".¶{counter-reset:n 3}.¶::before{content:counter(n) ‡ counters(n,'.')}"),
    "content-attr-fallback": _generated(".¶::before{content:attr(data-nosuch,‡)}"),
    "content-important": _generated(".¶::before{content:‡!important}.¶.¶::before{content:'x'}"),
    "content-details": _generated(
        ".¶::before{content:‡}", markup='<details open=""><summary class="¶"></summary></details>'
    ),
    "content-dialog": _generated(
        ".¶::before{content:‡}", markup='<dialog open="" style="position:static" class="¶"></dialog>'
    ),
    "content-ruby": _generated(
        ".¶::before{content:‡}", markup='<ruby class="¶"></ruby><br/>', pieces=sentences
    ),
    "marker": _generated(
        ".¶::marker{content:‡}",
        markup='<li class="¶" style="list-style-position:inside"></li>',
        pieces=sentences,
    ),
    "list-style": _generated(".¶{list-style:‡ inside}", markup='<li class="¶">&#160;</li>', pieces=sentences),
    "quotes": _generated(".¶{quotes:‡ 'x'}.¶::before{content:open-quote}"),
    "on-input-wrapper": _generated(
        ".¶::after{content:‡}", markup='<label class="¶"></label><br/>', pieces=sentences
    ),
    "on-body": _generated("body::after{content:‡;display:block}", markup="", pieces=_joined),
    "on-html": _generated("html::before{content:‡;display:block}", markup="", pieces=_joined),
    "custom-root": _generated(":root{--¶:‡}.¶::before{content:var(--¶)}"),
    "custom-rule": _generated(
        "@property --¶{syntax:'*';inherits:true;initial-value:‡}.¶::before{content:var(--¶)}"
    ),
    "on-th": _generated(
        "td.¶::before{content:‡}", markup="<table><tbody><tr><td class='¶'></td></tr></tbody></table>"
    ),
}


def _imported(paragraphs: Sequence[str], choices: Choices) -> Fragment:
    """Return paragraphs whose text is in a sheet that a sheet imports."""
    made = _GENERATED["content-before"](paragraphs, choices)
    once = f'@import "data:text/css;charset=utf-8,{quote(made.css)}";'
    twice = f'@import url("data:text/css;charset=utf-8,{quote(once)}");'
    return Fragment(html=f"<style>{choices.pick((once, twice))}</style>{made.html}")


def _linked(paragraphs: Sequence[str], choices: Choices) -> Fragment:
    """Return paragraphs whose text is in a sheet that a link has in its address."""
    made = _GENERATED["content-after"](paragraphs, choices)
    address = f"data:text/css;charset=utf-8,{quote(made.css)}"
    return Fragment(html=f'<link rel="stylesheet" href="{address}"/>{made.html}')


def _counter_style(paragraphs: Sequence[str], choices: Choices) -> Fragment:
    name = choices.class_name()
    symbols = " ".join(map(_css_string, sentences(paragraphs)))
    css = f"@counter-style {name}{{system:cyclic;symbols:{symbols};suffix:''}}.{name}{{list-style:{name} inside}}"
    items = "".join(f'<li class="{name}">&#160;</li>' for _ in sentences(paragraphs))
    return Fragment(html=f"<ol>{items}</ol>", css=css)


def _counter_content(paragraphs: Sequence[str], choices: Choices) -> Fragment:
    name = choices.class_name()
    symbols = " ".join(map(_css_string, chunks(paragraphs, 1)))
    css = (
        f"@counter-style {name}{{system:cyclic;symbols:{symbols};suffix:''}}.{name}{{counter-increment:{name}}}"
        f".{name}::before{{content:counter({name},{name})}}"
    )
    return Fragment(html="<div>" + f'<i class="{name}"></i>' * len("".join(paragraphs)) + "</div>", css=css)


def _svg_image(text: str) -> str:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="24"><text y="18" font-size="16">{text}</text></svg>'
    return "data:image/svg+xml," + quote(svg)


def _image(markup: str, css: str = "") -> Form:
    def form(paragraphs: Sequence[str], choices: Choices) -> Fragment:
        name = choices.class_name()
        html = "".join(markup.replace("‡", _svg_image(line)) for line in chunks(paragraphs, 45))
        return Fragment(html=html.replace("¶", name), css=css.replace("¶", name))

    return form


_IMAGES = {
    "svg-img": _image('<img src="‡"/>'),
    "svg-background": _image("<p style=\"width:800px;height:24px;background:url('‡')\"></p>"),
    "svg-object": _image('<object data="‡"></object>'),
    "svg-embed": _image('<embed src="‡"/>'),
    "svg-content": _image("<p style=\"content:url('‡')\"></p>"),
    "svg-image-element": _image(
        '<svg width="820" height="24"><image width="800" height="24" href="‡"/></svg>'
    ),
    "svg-list-image": _image("<li style=\"list-style:inside url('‡')\">&#160;</li>"),
    "svg-border-image": _image('<input type="image" src="‡"/>'),
    "svg-srcset": _image('<picture><source srcset="‡"/><img src="/nosuch.png" alt=""/></picture>'),
    "svg-video-poster": _image('<video width="800" height="24" poster="‡"></video>'),
}
_XML_ONLY_NOT = {
    "script-shown",
    "style-shown",
    "style-comment-shown",
    "noembed",
    "noframes",
    "xmp",
    "listing",
    "textarea-lines",
    "meta-shown",
    "svg-foreign",
    "xlink-attr",
    "attr-content-lang",
    "svg-use",
    "svg-symbol",
}

_ALL = (
    _PLAIN
    | _ELEMENTS
    | _ATTRIBUTES
    | _GENERATED
    | {
        "counter-style": _counter_style,
        "counter-content": _counter_content,
        "content-import": _imported,
        "content-link": _linked,
    }
)
PLAIN_FORMS = tuple(Technique(name=f"form-{name}", apply=form) for name, form in _PLAIN.items())
FORMS = (
    *(
        Technique(name=f"form-{name}", apply=form, is_xml=name not in _XML_ONLY_NOT)
        for name, form in _ALL.items()
    ),
    *(
        Technique(name=f"form-{name}", apply=form, unread=frozenset({"images"}))
        for name, form in _IMAGES.items()
    ),
)
