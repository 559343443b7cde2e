"""An analyst's weeks with a site that changes: decisions stick, and everything is typed with short names."""

import json
from datetime import timedelta

import pytest

from deploy.demo.samples import SAMPLES, load_samples
from storage.records import Source, utc_now

TEXTS = load_samples()
FIRST, SECOND, THIRD = (TEXTS[f"青灯渡:{number}"].text for number in (1, 2, 3))
STRANGER = TEXTS["竹坞旧事:1"].text
pytestmark = pytest.mark.usefixtures("background_worker")


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def page(title, *texts):
    paragraphs = "".join(f"<p>{line}</p>" for text in texts for line in text.split("\n") if line.strip())
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><article><h1>{title}</h1>{paragraphs}</article></body></html>"


@pytest.fixture
def scan(pindna, stores, site):
    """A function that lets the next day come, changes the site and scans it."""
    pindna("corpus", "add", SAMPLES / "novels" / "青灯渡.txt")

    def scan_pages(**pages):
        site.pages |= {f"/{name}.html": body for name, body in pages.items()}
        urls = tuple(f"{site.url}{path}" for path in sorted(site.pages))
        stores.sources.save(Source(name="u", kind="urls", start_urls=urls, delay_s=0))
        past = utc_now() - timedelta(days=60)
        stores.database["visits"].update_many({}, {"$set": {"due": past}})
        pindna("scan", status=None)
        rows = sorted(lines(pindna("review", "list", "--json")), key=lambda row: row["first_seen"])
        return {row["url"].rpartition("/")[2]: row for row in rows}

    return scan_pages


@pytest.mark.long
def test_decision_outlives_the_version_of_a_page(scan, pindna):
    opening = FIRST[:700]
    monday = scan(a=page("渡口", opening))["a.html"]
    assert monday["review"] == "open"
    pindna("review", "confirm", monday["name"], "--because", "整段照抄", "--as", "林")

    tuesday = scan(
        a=page("渡口", opening, "编者按：这一回写渡口的灯，下一回写对岸的人，读者诸君可以对照着看。")
    )["a.html"]
    assert tuesday["id"] != monday["id"]
    assert (tuesday["review"], tuesday["inherited"], tuesday["because"]) == ("confirmed", True, "整段照抄")
    shown = pindna("review", "show", tuesday["name"]).stdout
    assert "Confirmed; inherited from the version of 20" in shown
    assert "林" in shown
    assert "整段照抄" in shown
    assert "(inherited)" in pindna("review", "list").stdout
    assert "An earlier version of the page" in pindna("review", "show", monday["name"]).stdout
    assert {row["name"] for row in lines(pindna("review", "list", "--json"))} == {tuesday["name"]}

    wednesday = scan(a=page("渡口", opening, STRANGER[:300], FIRST[1200:1900]))["a.html"]
    assert wednesday["review"] == "open"
    assert [decided["state"] for decided in wednesday["decisions"]] == ["confirmed"]
    ((start, end),) = wednesday["undecided"]
    assert start > 1000
    assert 650 < end - start < 750
    assert "new, no decision yet" in pindna("review", "show", wednesday["name"]).stdout
    (case,) = lines(pindna("case", "list", "--json"))
    assert case["state"] == "confirmed"

    pindna("dismiss", wednesday["name"], "--because", "引文")
    thursday = scan(
        a=page(
            "渡口",
            "又及，此处换了一幅插图，画的是黄昏时分的渡船。",
            opening,
            STRANGER[:300],
            FIRST[1200:1900],
        )
    )["a.html"]
    assert (thursday["review"], thursday["inherited"]) == ("confirmed", True)
    assert {decided["because"] for decided in thursday["decisions"]} == {"整段照抄", "引文"}
    pindna("review", "reopen", thursday["name"])
    assert lines(pindna("review", "list", "--state", "confirmed", "--json")) == []
    assert lines(pindna("case", "list", "--state", "new", "--json")) != []


@pytest.mark.long
def test_whole_session_is_typed_with_short_names(scan, pindna, site):
    pages = scan(
        a=page("一", FIRST), b=page("二", SECOND), c=page("引", STRANGER, THIRD[:150]), d=page("三", FIRST)
    )
    assert {row["name"] for row in pages.values()} == {"m1", "m2", "m3", "m4"}
    listed = pindna("review", "list").stdout
    assert all(row["name"] in listed for row in pages.values())
    a, b, c, d = (pages[f"{name}.html"]["name"] for name in "abcd")

    shown = pindna("review", "show", b).stdout
    assert SECOND[:12] in shown
    assert "Open" in shown
    assert f"m{b[1:]}" == lines(pindna("review", "show", pages["b.html"]["id"][:12], "--json"))[0]["name"]
    assert pindna("review", "show", "m99", status=2).stderr == "There is no match with the id m99.\n"

    following = pindna("review", "next").stdout  # nobody is there to be asked: it only shows the gravest
    gravest = following.splitlines()[1].split()[0]
    assert "4 matches are open." in following
    assert gravest in (a, b, d)
    pindna("review", "next", stdin="c\nd\n误判\nq\n".encode(), is_terminal=True)
    states = {row["name"]: row["review"] for row in lines(pindna("review", "list", "--json"))}
    assert states[gravest] == "confirmed"
    assert (states[a] == states[d], states[a] != states[b], states[c]) == (True, True, "open")
    assert pindna("review", "next").stdout.startswith("1 match is open.")
    for name in (a, b):
        pindna("review", "reopen", name)

    _filter(pindna, site, copies={a, b, d}, quote=c)
    _decide_many(pindna, site, copies={a, b, d}, quote=c)


def _names(pindna, *filters):
    return {row["name"] for row in lines(pindna("review", "list", *filters, "--json"))}


def _filter(pindna, site, *, copies, quote):
    for filters in (("--state", "open"), ("--case", "c1"), ("--work", "《青燈渡》"), ("--site", site.url)):
        assert _names(pindna, *filters) == {*copies, quote}
    assert _names(pindna, "--min-share", "0.5") == _names(pindna, "--verdict", "copy") == copies
    assert _names(pindna, "--until", "2020/1/1") == _names(pindna, "--since", "2099-01-01") == set()
    assert site.url[7:] in pindna("review", "list", "--site", site.url[7:-1], status=2).stderr
    assert "青灯渡" in pindna("review", "list", "--work", "青灯度", status=2).stderr
    assert "No match meets these conditions" in pindna("review", "list", "--verdict", "licensed").stdout


def _decide_many(pindna, site, *, copies, quote):
    pindna("review", "confirm", status=2)
    pindna("review", "confirm", "--site", site.url, status=2)  # nobody agreed
    assert _names(pindna, "--state", "confirmed") == set()
    chosen = "--site", site.url, "--work", "青灯渡"
    asked = pindna("review", "confirm", *chosen, "--min-share", "0.5", stdin=b"n\n", is_terminal=True)
    assert "these 3 matches?" in asked.stderr
    assert _names(pindna, "--state", "confirmed") == set()
    done = pindna("review", "confirm", *chosen, "--min-share", "0.5", "--as", "林", "--yes")
    assert done.stdout == "Confirmed 3 matches.\n"
    assert _names(pindna, "--state", "confirmed") == copies
    pindna("review", "dismiss", *chosen, "--yes", status=2)  # without a reason
    pindna("review", "dismiss", *chosen, "--because", "合理引用", "--yes")
    pindna("review", "dismiss", *chosen, "--because", "合理引用", "--yes", status=2)  # nothing is open

    (case,) = lines(pindna("case", "list", "--json"))
    assert (case["name"], case["state"], case["pages"]) == ("c1", "confirmed", 3)
    assert "c1" in pindna("case", "list").stdout
    shown = lines(pindna("case", "show", "c1", "--json"))[0]
    reviews = {match["name"]: match["review"] for match in shown["matches"]}
    assert reviews == {**dict.fromkeys(copies, "confirmed"), quote: "dismissed"}
    assert "青灯渡" in pindna("case", "show", "C1").stdout
    pindna("case", "show", "c9", status=2)
    (dismissal,) = lines(pindna("dismissals", "list", "--json"))
    assert dismissal["because"] == "合理引用"
    assert dismissal["id"] in pindna("dismissals", "list").stdout
    pindna("dismissals", "remove", dismissal["id"][:6], "--yes")
    assert _names(pindna, "--state", "open") == {quote}
