"""Ways to deliver a fragment: documents in the page, shadow roots, scripts; and to order it by style sheets."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from urllib.parse import quote

from support.differential.fragments import Choices, Fragment, Technique

_COMMENT = re.compile("<!--.*?--!?>", re.DOTALL)
_FRAME = 'style="width:880px;height:900px;border:0"'


def _framed(markup: Callable[[str], str]):
    """Return a technique whose fragment becomes a separate document in some markup."""

    def apply(fragment: Fragment, _: Choices) -> Fragment:
        return replace(fragment, html=markup(fragment.document()), css="", head="")

    return apply


def _in_shadow(fragment: Fragment, root: str = "open") -> str:
    """Return a fragment in a shadow root."""
    return f'<div><template shadowrootmode="{root}">{fragment.style()}{fragment.html}</template></div>'


def _shadow_in_frame(fragment: Fragment, choices: Choices) -> Fragment:
    document = f"<!DOCTYPE html><meta charset=utf-8>{fragment.head}{_in_shadow(fragment, 'closed')}"
    html = choices.pick(
        (
            f'<iframe {_FRAME} srcdoc="{escape(document)}"></iframe>',
            f'<iframe {_FRAME} src="data:text/html;charset=utf-8,{quote(document)}"></iframe>',
        )
    )
    return replace(fragment, html=html, css="", head="")


def _frame_in_shadow(fragment: Fragment, _: Choices) -> Fragment:
    frame = f'<iframe {_FRAME} srcdoc="{escape(fragment.document())}"></iframe>'
    html = f'<div><template shadowrootmode="open">{frame}</template></div>'
    return replace(fragment, html=html, css="", head="")


def _base64(document: str, encoding: str = "utf-8") -> str:
    return base64.b64encode(document.encode(encoding, "xmlcharrefreplace")).decode()


_FRAMES = {
    "srcdoc": lambda doc: f'<iframe {_FRAME} srcdoc="{escape(doc)}"></iframe>',
    "srcdoc-over-src": lambda doc: f'<iframe {_FRAME} src="/nosuch" srcdoc="{escape(doc)}"></iframe>',
    "srcdoc-sandbox": lambda doc: f'<iframe {_FRAME} sandbox="" srcdoc="{escape(doc)}"></iframe>',
    "srcdoc-lazy": lambda doc: f'<iframe {_FRAME} loading="lazy" srcdoc="{escape(doc)}"></iframe>',
    "srcdoc-twice": lambda doc: (
        f'<iframe {_FRAME} srcdoc="'
        + escape(f'<iframe {_FRAME} srcdoc="{escape(doc)}"></iframe>')
        + '"></iframe>'
    ),
    "frame-data": lambda doc: f'<iframe {_FRAME} src="data:text/html;charset=utf-8,{quote(doc)}"></iframe>',
    "frame-base64": lambda doc: f'<iframe {_FRAME} src="data:text/html;base64,{_base64(doc)}"></iframe>',
    "frame-data-gbk": lambda doc: (
        f'<iframe {_FRAME} src="data:text/html;charset=gbk;base64,'
        f'{_base64(doc.replace("<meta charset=utf-8>", ""), "gbk")}"></iframe>'
    ),
    "frame-data-spaces": lambda doc: (
        f'<iframe {_FRAME} src=" DATA:text/html;charset=utf-8,{quote(doc)} "></iframe>'
    ),
    "object-data": lambda doc: f'<object {_FRAME} data="data:text/html;charset=utf-8,{quote(doc)}"></object>',
    "object-base64": lambda doc: (
        f'<object {_FRAME} type="text/html" data="data:text/html;base64,{_base64(doc)}"></object>'
    ),
    "embed-data": lambda doc: f'<embed {_FRAME} src="data:text/html;charset=utf-8,{quote(doc)}"/>',
}

_SHADOWS = {
    "shadow-open": '<div><template shadowrootmode="open">‡</template></div>',
    "shadow-closed": '<section><template shadowrootmode="closed">‡</template></section>',
    "shadow-custom": '<novel-text><template shadowrootmode="open"><slot></slot>‡</template></novel-text>',
    "shadow-replaces": '<div><template shadowrootmode="open">‡</template><p>目录</p></div>',
    "shadow-upper": '<div><TEMPLATE SHADOWROOTMODE="OPEN">‡</TEMPLATE></div>',
    "shadow-slotted": '<div><template shadowrootmode="open"><slot name="a"></slot></template>'
    '<div slot="a">‡</div><p>目录</p></div>',
    "shadow-nested": '<div><template shadowrootmode="open"><div><template shadowrootmode="closed">‡</template>'
    "</div></template></div>",
    "shadow-fallback": '<div><template shadowrootmode="open"><slot>‡</slot></template></div>',
    "shadow-delegates": '<article><template shadowrootmode="open" shadowrootdelegatesfocus>‡</template></article>',
}


def _shadowed(markup: str):
    def apply(fragment: Fragment, _: Choices) -> Fragment:
        return replace(fragment, html=markup.replace("‡", fragment.style() + fragment.html), css="")

    return apply


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("</", "<\\/").replace("<!--", "<\\!--")


def _escaped(text: str) -> str:
    return json.dumps(text).replace("</", "<\\/").replace("<!--", "<\\!--")


def _concatenated(text: str) -> str:
    return "+".join(_quoted(text[start : start + 5]) for start in range(0, len(text), 5))


def _char_codes(text: str) -> str:
    units = text.encode("utf-16-le")
    codes = ",".join(str(units[i] | units[i + 1] << 8) for i in range(0, len(units), 2))
    return f"[{codes}].map(c=>String.fromCharCode(c)).join('')"


def _decoded(text: str) -> str:
    return f"decodeURIComponent(escape(atob('{base64.b64encode(text.encode()).decode()}')))"


def _percent(text: str) -> str:
    return f"decodeURIComponent('{quote(text, safe='')}')"


def _unescaped(text: str) -> str:
    return "unescape('" + "".join(f"%u{ord(c):04x}" if ord(c) < 0x10000 else c for c in text) + "')"


def _reversed(text: str) -> str:
    return f"[...{_quoted(text[::-1])}].reverse().join('')"


def _template(text: str) -> str:
    return (
        "`"
        + text.replace("\\", "\\\\").replace("`", "\\`").replace("</", "<\\/").replace("<!--", "<\\!--")
        + "`"
    )


def _shifted(text: str) -> str:
    codes = ",".join(str(ord(char) + 7) for char in text)
    return f"String.fromCodePoint(...[{codes}].map(c=>c-7))"


_LITERALS = (
    *(
        _quoted,
        _escaped,
        _concatenated,
        _char_codes,
        _decoded,
        _percent,
        _unescaped,
        _reversed,
        _template,
        _shifted,
    ),
)
_HERE = "var h=document.currentScript.parentNode;"

# ‡ is an expression of the markup; the script is in a separate division.
_SCRIPTS = {
    "write": "document.write(‡)",
    "writeln": "document['write'+'ln'](‡)",
    "inner-html": _HERE + "h.innerHTML=‡",
    "outer-html": _HERE + "h.outerHTML=‡",
    "adjacent": _HERE + "h.insertAdjacentHTML('beforeend',‡)",
    "timeout": _HERE + "setTimeout(()=>{h.innerHTML=‡},20)",
    "onload": _HERE + "addEventListener('load',()=>{h.innerHTML=‡})",
    "parser": _HERE + "h.append(...new DOMParser().parseFromString(‡,'text/html').body.children)",
    "range": _HERE + "h.append(document.createRange().createContextualFragment(‡))",
    "template": _HERE + "var t=document.createElement('template');t.innerHTML=‡;h.append(t.content)",
    "json": _HERE + "h.innerHTML=JSON.parse(JSON.stringify({a:[{t:‡}]})).a[0].t",
    "blob": _HERE + "fetch(URL.createObjectURL(new Blob([‡]))).then(r=>r.text()).then(t=>{h.innerHTML=t})",
    "data-fetch": _HERE + "fetch('data:text/plain;charset=utf-8,'+encodeURIComponent(‡)).then(r=>r.text())"
    ".then(t=>{h.innerHTML=t})",
    "shadow": _HERE + "h.attachShadow({mode:'closed'}).innerHTML=‡",
    "element": _HERE
    + "customElements.define('x-n'+Math.floor(1e9*Math.random()),class extends HTMLElement{});"
    "h.innerHTML=‡",
    "frame": _HERE
    + "var f=document.createElement('iframe');f.style='width:880px;height:900px';f.srcdoc=‡;h.append(f)",
    "microtask": _HERE + "Promise.resolve(‡).then(t=>{h.innerHTML=t})",
    "observer": _HERE + "new MutationObserver(()=>{}).observe(h,{childList:true});h.innerHTML=‡",
    "function": _HERE + "Function('h','t','h.innerHTML=t')(h,‡)",
    "property": _HERE + "h['inner'+'HTML']=‡",
}


def _scripted(script: str):
    def apply(fragment: Fragment, choices: Choices) -> Fragment:
        literal = choices.pick(_LITERALS)(fragment.style() + fragment.html)
        html = f"<div><script>{script.replace('‡', literal)}</script></div>"
        return replace(fragment, html=html, css="")

    return apply


def _handler(markup: str):
    """Return a technique whose script is in an attribute."""

    def apply(fragment: Fragment, choices: Choices) -> Fragment:
        literal = choices.pick((_quoted, _char_codes, _percent))(fragment.style() + fragment.html)
        return replace(fragment, html=markup.replace("‡", escape(literal)), css="")

    return apply


_HANDLERS = {
    "onerror": '<div><img src="/nosuch.png" onerror="this.parentNode.innerHTML=‡"/></div>',
    "img-onload": '<div><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onload="this.parentNode.innerHTML=‡" '
    'onerror="this.onload()"/></div>',
    "svg-onload": '<div><svg onload="this.parentNode.innerHTML=‡"></svg></div>',
    "autofocus": '<div><input autofocus="" onfocus="this.parentNode.innerHTML=‡"/></div>',
    "toggle": '<div><details open="" ontoggle="this.parentNode.innerHTML=‡"><summary>x</summary></details></div>',
    "frame-javascript": f'<iframe {_FRAME} src="javascript:‡"></iframe>',
    "animation-start": '<style>@keyframes q{to{top:0}}</style><div><b style="animation:q 1ms" '
    'onanimationstart="this.parentNode.innerHTML=‡">x</b></div>',
    "style-onload": '<div><style onload="this.parentNode.innerHTML=‡">b{}</style></div>',
}


def _from_json(fragment: Fragment, choices: Choices) -> Fragment:
    name = choices.class_name()
    data = json.dumps({"t": fragment.style() + fragment.html}, ensure_ascii=False)
    data = data.replace("</", "<\\/").replace("<!--", "<\\u0021--")
    html = (
        f'<div id="{name}"></div><script type="application/json" id="{name}j">{data}</script>'
        f"<script>document.getElementById('{name}').innerHTML="
        f"JSON.parse(document.getElementById('{name}j').textContent).t</script>"
    )
    return replace(fragment, html=html, css="")


def _from_template(fragment: Fragment, choices: Choices) -> Fragment:
    name = choices.class_name()
    html = (
        f'<template id="{name}">{fragment.style()}{fragment.html}</template><div><script>'
        f"document.currentScript.parentNode.append(document.getElementById('{name}').content.cloneNode(true))"
        "</script></div>"
    )
    return replace(fragment, html=html, css="")


def _from_textarea(fragment: Fragment, choices: Choices) -> Fragment:
    name = choices.class_name()
    html = (
        f'<textarea id="{name}" hidden="">{escape(fragment.style() + fragment.html)}</textarea><div><script>'
        f"document.currentScript.parentNode.innerHTML=document.getElementById('{name}').value</script></div>"
    )
    return replace(fragment, html=html, css="")


def _from_attribute(fragment: Fragment, _: Choices) -> Fragment:
    markup = escape(fragment.style() + fragment.html)
    html = f'<div data-t="{markup}"><script>(h=>h.innerHTML=h.dataset.t)(document.currentScript.parentNode)</script></div>'
    return replace(fragment, html=html, css="")


def _from_comment(fragment: Fragment, _: Choices) -> Fragment:
    hidden = _COMMENT.sub("", fragment.style() + fragment.html)
    hidden = hidden.replace("<!--", "").replace("-->", "").replace("--!>", "")
    html = (
        f"<div><!--{hidden}--><script>(h=>h.innerHTML=h.firstChild.data)(document.currentScript.parentNode)"
        "</script></div>"
    )
    return replace(fragment, html=html, css="")


def _from_hidden(fragment: Fragment, choices: Choices) -> Fragment:
    name = choices.class_name()
    action = choices.pick(
        (
            "e.hidden=false;e.style.display='block'",
            "e.removeAttribute('hidden');e.removeAttribute('style')",
            "e.style.cssText='';e.hidden=0",
            "e.outerHTML=e.innerHTML",
            "e.setAttribute('style','display:block!important');e.toggleAttribute('hidden')",
        )
    )
    html = (
        f'<div id="{name}" hidden="" style="display:none">{fragment.html}</div>'
        f"<script>(e=>{{{action}}})(document.getElementById('{name}'))</script>"
    )
    return replace(fragment, html=html)


def _from_sheet(fragment: Fragment, choices: Choices) -> Fragment:
    name = choices.class_name()
    action = choices.pick(
        (
            "s.sheet.deleteRule(0)",
            "s.disabled=true",
            "s.remove()",
            "s.media='print'",
            "s.textContent=''",
            "s.sheet.cssRules[0].style.display='block'",
        )
    )
    html = (
        f'<style id="{name}s">.{name}{{display:none}}</style><div class="{name}">{fragment.html}</div>'
        f"<script>(s=>{{{action}}})(document.getElementById('{name}s'))</script>"
    )
    return replace(fragment, html=html)


def _from_root_class(fragment: Fragment, choices: Choices) -> Fragment:
    name = choices.class_name()
    html = (
        f'<div class="{name}">{fragment.html}</div><script>document.documentElement.className+=" js"</script>'
    )
    return fragment.with_html(html, more_css=f".{name}{{display:none}}.js .{name}{{display:block}}\n")


def _from_noscript(fragment: Fragment, _: Choices) -> Fragment:
    html = (
        f"<noscript>{fragment.style()}{fragment.html}</noscript><div><script>(h=>h.innerHTML="
        "h.previousSibling.textContent)(document.currentScript.parentNode)</script></div>"
    )
    return replace(fragment, html=html, css="")


def _external(kind: str, type_name: str, body: Callable[[str, str], str], markup: str, unread: frozenset):
    """Return a technique that needs a second request."""

    def apply(fragment: Fragment, choices: Choices) -> Fragment:
        name = choices.class_name()
        content = body(fragment.style() + fragment.html, name)
        path = f"/{name}.{kind}"
        html = markup.replace("¶", name).replace("§", path)
        resources = {**fragment.resources, path: (type_name, content.encode())}
        return replace(fragment, html=html, css="", resources=resources)

    return Technique(name=f"external-{kind}", apply=apply, unread=unread, is_xml=False)


_SCRIPT_READ = frozenset({"scripts"})
_EXTERNALS = (
    _external(
        "js",
        "text/javascript",
        lambda markup, name: f"document.getElementById('{name}').innerHTML={_quoted(markup)}",
        '<div id="¶"></div><script src="§"></script>',
        _SCRIPT_READ,
    ),
    _external(
        "mjs",
        "text/javascript",
        lambda markup, name: f"document.getElementById('{name}').innerHTML={_quoted(markup)}",
        '<div id="¶"></div><script type="module" src="§"></script>',
        _SCRIPT_READ,
    ),
    _external(
        "json",
        "application/json",
        lambda markup, _: json.dumps({"t": markup}),
        "<div id=\"¶\"></div><script>fetch('§').then(r=>r.json()).then(d=>{document.getElementById('¶').innerHTML=d.t})"
        "</script>",
        _SCRIPT_READ,
    ),
    _external(
        "txt",
        "text/plain; charset=utf-8",
        lambda markup, _: markup,
        "<div id=\"¶\"></div><script>var x=new XMLHttpRequest();x.open('GET','§',false);x.send();"
        "document.getElementById('¶').innerHTML=x.responseText</script>",
        _SCRIPT_READ,
    ),
    _external(
        "html",
        "text/html; charset=utf-8",
        lambda markup, _: f"<!DOCTYPE html><body>{markup}",
        f'<iframe {_FRAME} src="§"></iframe>',
        frozenset({"frames"}),
    ),
    _external(
        "htm",
        "text/html; charset=utf-8",
        lambda markup, _: f"<!DOCTYPE html><body>{markup}",
        f'<object {_FRAME} type="text/html" data="§"></object>',
        frozenset({"frames"}),
    ),
    _external(
        "xhtml",
        "text/html; charset=utf-8",
        lambda markup, _: f"<!DOCTYPE html><body>{markup}",
        f'<embed {_FRAME} type="text/html" src="§"/>',
        frozenset({"frames"}),
    ),
)


def _sheet_external(fragment: Fragment, choices: Choices) -> Fragment:
    """Hide in the page, show in a sheet that must be fetched."""
    name = choices.class_name()
    path = f"/{name}.css"
    html = f'<link rel="stylesheet" href="{path}"/><div class="{name}">{fragment.html}</div>'
    resources = {**fragment.resources, path: ("text/css", f"body .{name}{{display:block}}".encode())}
    return fragment.with_html(html, more_css=f".{name}{{display:none}}\n", resources=resources)


CARRIERS = (
    *(
        Technique(name=f"frame-{name}", apply=_framed(markup), is_xml=False)
        for name, markup in _FRAMES.items()
    ),
    *(
        Technique(name=f"el-{name}", apply=_shadowed(markup), is_xml=False)
        for name, markup in _SHADOWS.items()
    ),
    *(
        Technique(name=f"script-{name}", apply=_scripted(script), unread=_SCRIPT_READ, is_xml=False)
        for name, script in _SCRIPTS.items()
    ),
    *(
        Technique(name=f"script-{name}", apply=_handler(markup), unread=_SCRIPT_READ, is_xml=False)
        for name, markup in _HANDLERS.items()
    ),
    *(
        Technique(name=f"script-{name}", apply=apply, unread=_SCRIPT_READ, is_xml=False)
        for name, apply in (
            ("json-element", _from_json),
            ("template-element", _from_template),
            ("textarea-element", _from_textarea),
            ("data-attribute", _from_attribute),
            ("comment", _from_comment),
            ("noscript", _from_noscript),
        )
    ),
    *(
        Technique(name=f"script-{name}", apply=apply, is_xml=False)
        for name, apply in (
            ("unhides", _from_hidden),
            ("removes-sheet", _from_sheet),
            ("root-class", _from_root_class),
        )
    ),
    Technique(name="frame-shadow", apply=_shadow_in_frame, is_xml=False),
    Technique(name="el-frame-in-shadow", apply=_frame_in_shadow, is_xml=False),
    Technique(name="external-sheet", apply=_sheet_external, is_xml=False),
    *_EXTERNALS,
)
