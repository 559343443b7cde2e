# ruff: noqa: E501, ISC004 - a line a page, so that they can be read
"""Pages that mean harm to the browser that shows them, for :class:`~support.hostile.HostileSite`.

``pages`` are its paths. Each page tries to reach the canary, in its own way; most try the same with the site
itself, under ``/seen/``, so that a test can tell that the attempt was really made.
"""

import asyncio
import gzip

from support.hostile_answers import STORY, TEXT, Case, answer, forever, gzip_bomb, hang, head, redirect

_ZEROS = b"0" * (1 << 20)


def page(body, top="", script=""):
    """A page with a text of its own."""
    script = f"<script>{script}</script>" if script else ""
    return (
        f"<html><head><meta charset=utf-8><title>候鸟</title>{top}</head>"
        f"<body><article><h1>候鸟</h1>{STORY}</article>{body}{script}</body></html>"
    ).encode()


def short(script):
    """A page without a text, so that it may be a redirect."""
    return answer(f"<html><body><script>{script}</script></body></html>".encode())


# What a page tries: (name, mark-up, script); {to} is an address without its scheme.
ATTEMPTS = {
    "img": ('<img src="http://{to}/img">', ""),
    "iframe": ('<iframe src="http://{to}/iframe"></iframe>', ""),
    "srcdoc": (
        "<iframe srcdoc=\"<img src='http://{to}/srcdoc'><script src='http://{to}/srcdoc2'></script>\"></iframe>",
        "",
    ),
    "script": ('<script src="http://{to}/script"></script>', ""),
    "module": ('<script type=module>import "http://{to}/module"</script>', ""),
    "style": ('<link rel=stylesheet href="http://{to}/style">', ""),
    "css-import": (
        "<style>@import url(http://{to}/import); p {{ background: url(http://{to}/bg) }}</style>",
        "",
    ),
    "object": ('<object data="http://{to}/object"></object><embed src="http://{to}/embed">', ""),
    "media": (
        '<video src="http://{to}/video" autoplay></video><audio src="http://{to}/audio" autoplay></audio>',
        "",
    ),
    "fetch": ("", "fetch('http://{to}/fetch', {{mode: 'no-cors'}}).catch(e => 0)"),
    "xhr": ("", "let x = new XMLHttpRequest(); x.open('GET', 'http://{to}/xhr'); x.send()"),
    "post": ("", "fetch('http://{to}/post', {{method: 'POST', mode: 'no-cors', body: 'x'}}).catch(e => 0)"),
    "keepalive": ("", "fetch('http://{to}/keepalive', {{mode: 'no-cors', keepalive: true}}).catch(e => 0)"),
    "websocket": ("", "new WebSocket('ws://{to}/websocket')"),
    "secure": (
        "",
        "fetch('https://{to}/s', {{mode: 'no-cors'}}).catch(e => 0); new WebSocket('wss://{to}/wss')",
    ),
    "events": ("", "new EventSource('http://{to}/events')"),
    "beacon": ("", "navigator.sendBeacon('http://{to}/beacon', 'x')"),
    "worker": (
        "",
        "new Worker(URL.createObjectURL(new Blob([\"fetch('http://{to}/worker', {{mode: 'no-cors'}});"
        "importScripts('http://{to}/import')\"])))",
    ),
    "shared-worker": (
        "",
        "new SharedWorker(URL.createObjectURL(new Blob([\"fetch('http://{to}/shared', {{mode: 'no-cors'}})\"])))",
    ),
    "service-worker": (
        "",
        "navigator.serviceWorker.register('/worker.js?http://{to}/sw').catch(e => 0)",
    ),
    "form": (
        '<iframe name="{to}"></iframe><form target="{to}" method=post action="http://{to}/form"><input name=a></form>',
        "[...document.forms].forEach(f => f.submit())",
    ),
    "hints": (
        '<link rel=preconnect href="http://{to}"><link rel=dns-prefetch href="http://{to}">'
        '<link rel=prefetch href="http://{to}/prefetch"><link rel=preload as=fetch href="http://{to}/preload">'
        '<script type=speculationrules>{{"prerender": [{{"urls": ["http://{to}/prerender"]}}],'
        '"prefetch": [{{"urls": ["http://{to}/speculate"]}}]}}</script><link rel=manifest href="http://{to}/m">',
        "",
    ),
    "ping": ('<a id=p ping="http://{to}/ping" href="#x">x</a>', "document.getElementById('p').click()"),
    "popup": (
        '<a id=p target=_blank href="http://{to}/popup">x</a>',
        "window.open('http://{to}/open'); document.getElementById('p').click()",
    ),
    "downloads": (
        '<a id=d download href="http://{to}/download">x</a>',
        "document.getElementById('d').click()",
    ),
    "data-frame": (
        "<iframe src=\"data:text/html,<script>fetch('http://{to}/data', {{mode: 'no-cors'}})</script>\"></iframe>",
        "",
    ),
    "stun": (
        "",
        "let c = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{to}'}}, {{urls: 'turn:{to}?transport=tcp',"
        " username: 'u', credential: 'c'}}]}}); c.createDataChannel('x');"
        "c.createOffer().then(o => c.setLocalDescription(o))",
    ),
    "transport": ("", "try {{ new WebTransport('https://{to}/transport') }} catch (e) {{}}"),
    "leave-with-text": ("", "setTimeout(() => location = 'http://{to}/leave', 50)"),
}
# Those that a browser carries out at once, and that reach the site when they are allowed to.
CARRIED_OUT = [
    "iframe", "srcdoc", "script", "module", "style", "css-import", "object", "fetch", "xhr", "post", "websocket",
    "worker", "form", "data-frame",
]  # fmt: skip


def spellings(port):
    hosts = [
        "127.0.0.2", "2130706434", "0x7f000002", "017700000002", "127.2", "[::1]", "[::ffff:127.0.0.2]",
        "[::ffff:7f00:2]", "inner.test", "a.localhost", "localhost", "0", "[::]", "127.0.0.2.", "１２７.０.０.２",
        "169.254.169.254", "10.0.0.1", "[fd00:ec2::254]", "[64:ff9b::127.0.0.2]", "rebind.test",
    ]  # fmt: skip
    return [f"http://{host}:{port}/spelling" for host in hosts]


def cases(inner, port):
    """Return path → case; the arguments are those of :func:`support.hostile_answers.cases`."""
    own = f"127.0.0.1:{port}"
    answers = {}
    for name, (markup, code) in ATTEMPTS.items():
        body = markup.format(to=inner) + markup.format(to=f"{own}/seen/{name}")
        script = ";".join(f"{{{code.format(to=to)}}}" for to in (inner, f"{own}/seen/{name}"))
        answers[name] = Case(answer(page(body, script=script)), (TEXT,))
    urls = spellings(port)
    answers |= {
        "spellings": Case(
            answer(page("", script=f"for (let u of {urls}) {{ fetch(u, {{mode: 'no-cors'}}).catch(e => 0) }}")),
            (TEXT,),
        ),
        # again and again, in the hope that the name is looked up anew
        "rebinding": Case(
            answer(
                page(
                    "",
                    script=f"for (let n = 0; n < 40; n++) setTimeout(() => fetch('http://rebind.test:{port}/r' + n,"
                    " {mode: 'no-cors'}).catch(e => 0), n * 20)",
                )
            ),
            (TEXT, "timeout"),
        ),
        "sub-redirects": Case(
            answer(
                page(
                    '<script src="/hop-302"></script><iframe src="/hop-307"></iframe>'
                    '<link rel=stylesheet href="/hop-301">',
                    script="fetch('/hop-308', {method: 'POST', body: 'x'}).catch(e => 0)",
                )
            ),
            (TEXT,),
        ),
        **{f"hop-{code}": Case(redirect(f"http://{inner}/hop", code), ("inner-address",)) for code in (301, 302, 307, 308)},
        "files": Case(
            answer(
                page(
                    '<iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe>'
                    '<iframe src="view-source:file:///etc/passwd"></iframe>',
                    script="for (let u of ['file:///etc/passwd', 'chrome://settings', 'chrome-extension://a/b'])"
                    "fetch(u).then(a => a.text()).then(t => document.body.append(t)).catch(e => 0)",
                )
            ),
            (TEXT,),
        ),
        "go-script": Case(short(f"location = 'http://{inner}/go'"), ("inner-address",)),
        "go-replace": Case(short(f"location.replace('http://{inner}/go')"), ("inner-address",)),
        "go-refresh": Case(
            answer(f'<meta http-equiv="refresh" content="0;url=http://{inner}/go">'.encode()), ("inner-address",)
        ),
        "go-link": Case(
            answer(f'<a id=a href="http://{inner}/go">x</a><script>a.click()</script>'.encode()),
            ("inner-address",),
        ),
        "go-form": Case(
            answer(f'<form action="http://{inner}/go"></form><script>document.forms[0].submit()</script>'.encode()),
            ("inner-address",),
        ),
        "go-file": Case(short("location = 'file:///etc/passwd'"), ("empty",)),
        "go-name": Case(short(f"location = 'http://inner.test:{port}/go'"), ("dns", "inner-address")),
        "go-circle": Case(short("location = '/go-circle?' + Math.random()"), ("redirects",)),
        "reload": Case(short("location.reload()"), ("empty", "redirects", "timeout")),
        "attachment": Case(answer(page(""), Content_Disposition="attachment; filename=a.html"), (TEXT,)),
        "wants-name": Case(answer(b"no", 401, WWW_Authenticate="Basic realm=crawl"), ("http-401",)),
        "gate-asks": Case(answer(b"no", 407, Proxy_Authenticate="Basic realm=crawl"), ("http-407", "other")),
        # exhausting
        "loop": Case(answer(page("", script="while (true) {}")), ("timeout", TEXT)),
        "alerts": Case(answer(page("", script="for (let n = 0; n < 50; n++) { alert(n); confirm(n); prompt(n) } print()")), (TEXT, "timeout")),
        "unload": Case(answer(page("", script="onbeforeunload = e => { e.preventDefault(); return 'stay' }")), (TEXT,)),
        "huge-dom": Case(
            answer(page("", script="let t = '鸟'.repeat(1000); for (let n = 0; n < 1100; n++) document.body.append(t)")),
            ("too-large", "timeout"),
        ),
        "memory": Case(
            answer(page("", script="let a = []; while (true) a.push(new Array(1e6).fill(Math.random()))")),
            ("hostile", "other", "timeout"),
        ),
        "frames": Case(answer(page('<iframe src="/frames?' + "x" + '"></iframe>' * 3)), (TEXT, "timeout")),
        "many-requests": Case(
            answer(page("", script="for (let n = 0; n < 1000; n++) fetch('/seen/many/' + n).catch(e => 0)")),
            (TEXT, "timeout"),
        ),
        "never-loaded": Case(answer(page('<script src="/hang"></script>' + STORY)), (TEXT, "timeout")),
        "hang": Case(hang, ("timeout",)),
        "endless-body": Case(forever(head() + b"\r\n", b"x" * 65536), ("too-large",)),
        "endless-part": Case(answer(page("", script="fetch('/endless-body').then(a => a.text()).catch(e => 0)")), (TEXT, "timeout")),
        "bomb": Case(answer(gzip_bomb(), Content_Encoding="gzip"), ("too-large",)),
        "packed": Case(answer(gzip.compress(page("")), Content_Encoding="gzip"), (TEXT,)),
        "endless-headers": Case(
            forever(b"HTTP/1.1 200 OK\r\n", b"X-Flood: " + b"y" * 999 + b"\r\n"), ("other",)
        ),
        "hangs-up": Case(answer(b"", Content_Length=50), ("other", "empty")),
        "no-answer": Case(_nothing, ("other",)),
    }  # fmt: skip
    return answers


async def _nothing(_):
    await asyncio.sleep(0)


def worker_script(path):
    """What a service worker of such a page does: it asks for the address after the question mark."""
    return answer(
        f"fetch('{path.partition('?')[2]}', {{mode: 'no-cors'}})".encode(), Content_Type="text/javascript"
    )
