"""Pages of a host, each read with what the others taught."""

from support.forms.site_templates import hosts, measure
from support.strategies import story

from benchmarks.extraction import StoredPage, remove_names
from benchmarks.page_tables import template_table

HOSTS = ("a.example", "b.example")


def stored(host, number):
    text = [
        f"{story(30, 100 * number + line)}，{story(30, 7_000 + 100 * number + line)}。" for line in range(9)
    ]
    paragraphs = "".join(f"<p>{line}</p>" for line in text)
    named = f'<link rel="canonical" href="http://{host}/{number}.html">' if host == "a.example" else ""
    html = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head>{named}</head><body>'
        f"<a href='http://{host}/'>首页</a><div class=text>{paragraphs}</div></body></html>"
    )
    return StoredPage(f"{host}{number}", "news", html.encode(), "utf-8", "\n".join(text))


def test_page_is_read_with_the_template_learnt_from_its_host():
    pages = [stored(host, number) for host in HOSTS for number in range(4)]
    few = [stored("c.example", number) for number in range(3)]
    by_host = hosts([*pages, *few, StoredPage("l", "list", b"<p>x</p>", None, None)])
    assert {host: len(of_host) for host, of_host in by_host.items()} == dict.fromkeys(HOSTS, 4)
    for of_host in (by_host["a.example"], remove_names(by_host["b.example"])):
        row = measure("h", of_host)
        assert (row.pages, row.taught, row.changed) == (len(of_host), len(of_host), 0)
        assert row.alone == row.with_template > 0.99
    assert "1.000" in template_table("templates", [row]).markdown()
