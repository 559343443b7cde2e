"""Attributes and sheets of other kinds that seem to hide an element: § is its selector, ¶ its class name."""

import base64
from urllib.parse import quote

from support.differential.fragments import Choices, Fragment, Technique

_HIDE, _SHOW = "§{display:none}", "§{display:block}"


def _data(css: str) -> str:
    return "data:text/css," + quote(css)


def _data64(css: str) -> str:
    return "data:text/css;base64," + base64.b64encode(css.encode()).decode()


# name: (markup around ‡, rules)
_MARKUP = {
    "hidden-shown": ('<div hidden="" class="¶">‡</div>', _SHOW),
    "hidden-reset": ('<div hidden="hidden" class="¶">‡</div>', "[hidden]{display:block}"),
    "hidden-contents": ('<div hidden="" class="¶">‡</div>', "§{display:contents}"),
    "hidden-flex": ('<div hidden="" style="display:flex;flex-direction:column">‡</div>', ""),
    "hidden-until-found": (
        '<div hidden="until-found" class="¶">‡</div>',
        "§{content-visibility:visible}",
    ),
    "inline-beaten": ('<div style="display:none" class="¶">‡</div>', "§{display:block!important}"),
    "inline-wins": ('<div style="display:block" class="¶">‡</div>', _HIDE),
    "inline-important": (
        '<div style="display:block!important" class="¶">‡</div>',
        "§{display:none!important}",
    ),
    "inline-invalid": ('<div style="display:none none;opacity:x">‡</div>', ""),
    "inline-comment": ('<div style="/*display:none*/color:#000">‡</div>', ""),
    "inline-order": ('<div style="display:none;display:block">‡</div>', ""),
    "inline-url": ("<div style=\"background:url('x;display:none')\">‡</div>", ""),
    "inline-custom": ('<div style="--x:display:none">‡</div>', ""),
    "inline-brace": ('<div style="}display:none">‡</div>', ""),
    "inline-quirk": ('<div style="font-size:0p">‡</div>', ""),
    "details-open": ('<details open=""><summary>目录</summary>‡</details>', ""),
    "details-forced": (
        '<details class="¶"><summary>目录</summary>‡</details>',
        "§::details-content{content-visibility:visible}",
    ),
    "details-summary": ("<details><summary>‡</summary>目录</details>", ""),
    "dialog-open": ('<dialog open="" style="position:static;width:90%">‡</dialog>', ""),
    "dialog-shown": ('<dialog class="¶">‡</dialog>', "§{display:block;position:static}"),
    "popover-shown": ('<div popover="" class="¶">‡</div>', "§{display:block;position:static}"),
    "inert": ('<div inert="">‡</div>', ""),
    "aria-hidden": ('<div aria-hidden="true">‡</div>', ""),
    "role": ('<div role="presentation">‡</div>', ""),
    "role-navigation": ('<div role="navigation">‡</div>', ""),
    "role-complementary": ('<div role="complementary">‡</div>', ""),
    "class-hidden": ('<div class="hidden">‡</div>', ""),
    "class-d-none": ('<div class="d-none">‡</div>', ""),
    "class-sr-only": ('<div class="sr-only visually-hidden">‡</div>', ""),
    "class-ad": ('<div class="ad advertisement gg">‡</div>', ""),
    "class-comment": ('<div id="comments" class="comment-list">‡</div>', ""),
    "class-footer": ('<div id="footer" class="footer copyright">‡</div>', ""),
    "class-related": ('<div class="related recommend tuijian">‡</div>', ""),
    "class-share": ('<div class="share social bdshare">‡</div>', ""),
    "class-popup": ('<div class="popup modal mask tips">‡</div>', ""),
    "class-pager": ('<div class="page pagination pagelink">‡</div>', ""),
    "id-print": ('<div id="print-only" class="print-only noprint">‡</div>', ""),
    "contenteditable": ('<div contenteditable="">‡</div>', ""),
    "nosnippet": ('<div data-nosnippet="">‡</div>', ""),
    "size-zero": ('<div width="0" height="0">‡</div>', ""),
    "table-cell": ("<table><tbody><tr><td>‡</td></tr></tbody></table>", ""),
    "table-head": ("<table><thead><tr><th>‡</th></tr></thead></table>", ""),
    "table-foot": ("<table><tfoot><tr><td>‡</td></tr></tfoot></table>", ""),
    "table-caption": ("<table><caption>‡</caption><tbody><tr><td>目录</td></tr></tbody></table>", ""),
    "table-summary": (
        '<table role="presentation" hidden="" class="¶"><tbody><tr><td>‡</td></tr></tbody></table>',
        "§{display:table}",
    ),
    "figure": ("<figure><figcaption>‡</figcaption></figure>", ""),
    "address": ("<address>‡</address>", ""),
    "menu": ("<menu><li>‡</li></menu>", ""),
    "search": ("<search>‡</search>", ""),
    "fieldset": ('<fieldset disabled=""><legend>目录</legend>‡</fieldset>', ""),
    "legend": ("<fieldset><legend>‡</legend></fieldset>", ""),
    "label": ("<label>‡</label>", ""),
    "form": ("<form>‡</form>", ""),
    "dl": ("<dl><dt>目录</dt><dd>‡</dd></dl>", ""),
    "list-nested": ("<ul><li><ul><li>‡</li></ul></li></ul>", ""),
    "link": ('<a href="/x">‡</a>', ""),
    "center": ("<center>‡</center>", ""),
    "font-element": ('<font color="#000" size="3">‡</font>', ""),
    "output": ("<output>‡</output>", ""),
    "ins": ("<ins>‡</ins>", ""),
    "small": ("<small>‡</small>", ""),
    "cite": ("<cite>‡</cite>", ""),
    "custom-element": ("<novel-body>‡</novel-body>", ""),
    "unknown-element": ("<nosuch>‡</nosuch>", ""),
    "datalist-shown": ('<div class="¶"><datalist style="display:block">‡</datalist></div>', ""),
    "noframes-no": ("<div>‡</div><noframes>目录</noframes>", ""),
    "rp-shown": ('<ruby><rp style="display:block">‡</rp></ruby>', ""),
    "rt-shown": ('<ruby><rt style="display:block;font-size:16px">‡</rt></ruby>', ""),
    "audio": ('<audio class="¶"></audio>‡', ""),
    "slot": ("<slot>‡</slot>", ""),
    "sheet-print": ('<style media="print">.¶{display:none}</style><div class="¶">‡</div>', ""),
    "sheet-not-all": ('<style media="not all">.¶{display:none}</style><div class="¶">‡</div>', ""),
    "sheet-type": ('<style type="text/less">.¶{display:none}</style><div class="¶">‡</div>', ""),
    "sheet-narrow": ('<style media="(max-width:9px)">.¶{display:none}</style><div class="¶">‡</div>', ""),
    "sheet-wide": ('<style media="(min-width:9px)">.¶{display:block}</style><div class="¶">‡</div>', _HIDE),
    "sheet-titled": (
        '<style title="a">.zz{color:red}</style><style title="b">.¶{display:none}</style><div class="¶">‡</div>',
        "",
    ),
    "sheet-template": (
        '<template><style>.¶{display:none}</style></template><div class="¶">‡</div>',
        "",
    ),
    "sheet-noscript": (
        '<noscript><style>.¶{display:none}</style></noscript><div class="¶">‡</div>',
        "",
    ),
    "sheet-svg": (
        '<svg width="1" height="1"><style>.¶{display:block}</style></svg><div class="¶">‡</div>',
        _HIDE,
    ),
    "sheet-late": ('<div class="¶">‡</div><style>.¶{display:block}</style>', _HIDE),
    "sheet-comment": ('<!--<style>.¶{display:none}</style>--><div class="¶">‡</div>', ""),
    "sheet-alternate": (
        f'<link rel="alternate stylesheet" title="z" href="{_data(".¶{display:none}")}"/><div class="¶">‡</div>',
        "",
    ),
    "sheet-disabled": (
        f'<link rel="stylesheet" disabled="" href="{_data(".¶{display:none}")}"/><div class="¶">‡</div>',
        "",
    ),
    "sheet-preload": (
        f'<link rel="preload" as="style" href="{_data(".¶{display:none}")}"/><div class="¶">‡</div>',
        "",
    ),
    "sheet-link-data": (
        f'<link rel="stylesheet" href="{_data(".¶{display:block}")}"/><div class="¶">‡</div>',
        _HIDE,
    ),
    "sheet-link-base64": (
        f'<link rel="nofollow StyleSheet" href="{_data64(".¶{display:block}")}"/><div class="¶">‡</div>',
        _HIDE,
    ),
    "sheet-link-media": (
        f'<link rel="stylesheet" media="print" href="{_data(".¶{display:none}")}"/><div class="¶">‡</div>',
        "",
    ),
    "sheet-import": (
        f'<style>@import url("{_data(".¶{display:block!important}")}");.¶{{display:none}}</style>'
        '<div class="¶">‡</div>',
        "",
    ),
    "sheet-import-late": (
        f'<style>b{{}}@import url("{_data(".¶{display:none}")}");</style><div class="¶">‡</div>',
        "",
    ),
    "sheet-import-print": (
        f'<style>@import "{_data(".¶{display:none}")}" print;</style><div class="¶">‡</div>',
        "",
    ),
    "sheet-import-layer": (
        f'<style>@import "{_data(".¶{display:none}")}" layer(a);.¶{{display:block}}</style><div class="¶">‡</div>',
        "",
    ),
    "sheet-import-supports": (
        f'<style>@import "{_data(".¶{display:none}")}" supports(x:y);</style><div class="¶">‡</div>',
        "",
    ),
}


def _data64_named(markup: str, name: str) -> str:
    """Return markup with the class in it, in base64 sheets too."""
    template = _data64(".¶{display:block}")
    return (
        markup.replace(template, _data64(f".{name}{{display:block}}"))
        .replace("%C2%B6", name)
        .replace("¶", name)
    )


def _marked(markup: str, rules: str):
    def apply(fragment: Fragment, choices: Choices) -> Fragment:
        name = choices.class_name()
        css = rules.replace("§", f".{name}").replace("¶", name)
        html = _data64_named(markup, name).replace("‡", fragment.html)
        return fragment.with_html(html, more_css=css + "\n")

    return apply


_HTML_MARKUP = {
    "upper-case": ('<DIV CLASS=¶ STYLE="DISPLAY:BLOCK">‡</DIV>', _HIDE),
    "duplicate-style": ('<div style="color:#000" style="display:none">‡</div>', ""),
    "duplicate-class": ('<div class="other" class="¶">‡</div>', _HIDE),
    "unquoted": ("<div style=display:block class=¶>‡</div>", _HIDE),
    "attribute-gt": ('<div title="a > b <div hidden>" class="¶">‡</div>', ""),
    "attribute-comment": ('<div title="<!--" class="¶">‡</div><i title="-->"></i>', ""),
    "slash": ('<div / class="¶">‡</div>', ""),
    "self-closed-hidden": ('<p><span style="display:none"/></span></p><div>‡</div>', ""),
    "void-hidden": ("<br hidden><input hidden><div>‡</div>", ""),
    "head-shown": ("<div>‡</div><title>目录</title>", ""),
    "foster": ("<table hidden><div>‡</div></table>", ""),
    "foster-row": ('<table style="display:none"><tr><section>‡</section><td>目录</td></tr></table>', ""),
    "misnested": ("<b><i><u></b>‡</i></u>", ""),
    "misnested-hidden": ('<p style="display:none"><div>‡</div></p>', ""),
    "p-in-hidden-p": ("<p hidden>目录<div>‡</div>", ""),
    "li-closes": ("<ul><li hidden>目录<li>‡</ul>", ""),
    "option-closes": ("<select><option>目录</select><div>‡</div>", ""),
    "select-broken": ("<select><input><div>‡</div></select>", ""),
    "nested-form": ("<form hidden><form></form></form><div>‡</div>", ""),
    "nested-a": ("<a href=x hidden>目录<a href=y>‡</a></a>", ""),
    "button-closes": ("<button hidden>目录<button>x</button><div>‡</div>", ""),
    "svg-breakout": ('<svg width=1 height=1 style="display:none"><p>‡</p></svg>', ""),
    "math-breakout": ("<math><mi>x<div>‡</div></mi></math>", ""),
    "svg-title-html": ("<svg width=1 height=1><title><b>目录</b></title></svg><div>‡</div>", ""),
    "comment-abrupt": ("<!--><div>‡</div><!---->", ""),
    "comment-dash": ("<!---><div>‡</div><!-- -->", ""),
    "comment-bang": ("<!-- 目录 --!><div>‡</div>", ""),
    "comment-nested": ("<!-- <!-- 目录 --><div>‡</div>", ""),
    "comment-bogus": ("<! --><div>‡</div>", ""),
    "comment-processing": ("<?php hidden ?><div>‡</div><? ?>", ""),
    "comment-end-bogus": ("</ hidden ><div>‡</div>", ""),
    "comment-cdata": ("<![CDATA[><div>‡</div><!--]]>-->", ""),
    "conditional": ("<![if !IE]><div>‡</div><![endif]>", ""),
    "conditional-revealed": ("<!--[if !IE]><!--><div>‡</div><!--<![endif]-->", ""),
    "conditional-closed": ("<!--[if IE]>目录<![endif]--><div>‡</div>", ""),
    "script-escaped": ("<script>/*<!-- <script> */</script> --></script><div>‡</div>", ""),
    "script-comment": ('<script>var a="<!--";</script><div>‡</div><!-- -->', ""),
    "textarea-comment": ("<textarea><!--</textarea><div>‡</div><!-- -->", ""),
    "title-tag-in-style": ('<style>b::after{content:"<!--"}</style><div>‡</div><!-- -->', ""),
    "null-tag": ("<div\0x>‡</div\0x>", ""),
    "null-attribute": ('<div st\0yle="display:none">‡</div>', ""),
    "form-feed": ('<div\x0cclass="¶"\x0c>‡</div\x0c>', ""),
    "second-body": ('</div></body><body class="¶"><div>‡</div>', ""),
    "after-html": ("</body></html><div>‡</div>", ""),
    "body-hidden-attr": ("<body style='color:#000'><div>‡</div>", ""),
    "frameset-ignored": ("<frameset><frame></frameset><div>‡</div>", ""),
    "head-again": ("<head><div>‡</div></head>", ""),
    "html-again": ("<html lang=zh hidden class=¶><div>‡</div>", "html{display:block!important}"),
    "template-in-table": ("<table><template><tr></template><tr><td>‡</td></tr></table>", ""),
    "deep": ("<div>" * 500 + "‡" + "</div>" * 500, ""),
    "deep-spans": ("<span><b>" * 300 + "‡" + "</b></span>" * 300, ""),
    "deep-unclosed": ("<div>" * 120 + "‡", ""),
    "many-empty": ("<i></i>" * 2000 + "<div>‡</div>", ""),
    "nobr": ("<div><nobr></nobr>‡</div>", ""),
    "plain-marquee": ('<marquee scrollamount="0" behavior="slide" style="width:800px">‡</marquee>', ""),
    "image-alias": ("<image hidden><div>‡</div>", ""),
    "menuitem": ("<menuitem>‡</menuitem>", ""),
    "noembed-after": ("<noembed>目录</noembed><div>‡</div>", ""),
    "isindex": ("<isindex><div>‡</div>", ""),
    "applet": ("<applet>‡</applet>", ""),
    "object-fallback": ("<object data='/nosuch.bin' type='x/y'>‡</object>", ""),
    "object-empty": ("<object>‡</object>", ""),
    "video-after": ("<video></video><div>‡</div>", ""),
    "canvas-after": ("<canvas width=1 height=1>目录</canvas><div>‡</div>", ""),
}

ATTRIBUTES = (
    *(Technique(name=f"attr-{name}", apply=_marked(*pair)) for name, pair in _MARKUP.items()),
    *(
        Technique(name=f"html-{name}", apply=_marked(*pair), is_xml=False)
        for name, pair in _HTML_MARKUP.items()
    ),
)
