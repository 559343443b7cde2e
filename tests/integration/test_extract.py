"""``pindna extract`` and ``pindna site`` as processes, on files of every kind."""

import gzip
import json

import pytest
from support.strategies import story

from crawler.extraction.template import PageForm
from crawler.pages.learning import Learner
from crawler.pages.template_learning import TemplateLearner
from storage.records import SiteRules, Source

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"
PAGE = (
    f"<html><title>渡口的七盏灯</title><body><div>{f'<p>{PROSE}</p>' * 9}</div><i>{SLOGAN}</i></body></html>"
)
KEYS = [
    "input", "kind", "encoding", "title", "author", "published", "site_name", "text", "confidence",
    "next_page", "next_chapter", "chapter", "chapter_title", "dropped", "rest", "rest_pieces", "unread",
    "failed_steps", "posts",
]  # fmt: skip


def rows(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("empty.html", b"", ("empty", "utf-8")),
        ("binary.html", bytes(range(256)) * 20, ("empty", "binary")),
        ("packed.html", gzip.compress(PAGE.encode()), ("article", "utf-8")),
        ("cut.html", gzip.compress(PAGE.encode())[:-30], ("article", "utf-8")),
        ("utf16.html", PAGE.encode("utf-16"), ("article", "utf-16-le")),
        ("gbk.html", PAGE.encode("gbk"), ("article", "gb18030")),
        ("large.html", (PAGE * 9000).encode()[: 5 * 1024 * 1024], ("article", "utf-8")),
        ("deep.html", f"{'<div>' * 100_000}{PAGE}".encode(), ("article", "utf-8")),
        (
            "broken.html",
            f"<html><p>{PROSE}<div><p</p>{PROSE}<table><tr>{PROSE}<!-- {PROSE}".encode(),
            ("article", "utf-8"),
        ),
        ("plain.txt", f"{PROSE}\n{PROSE}\n{PROSE}".encode("gbk"), ("article", "gb18030")),
    ],
)
def test_files_of_every_kind(pindna, tmp_path, name, data, expected):
    (tmp_path / name).write_bytes(data)
    (row,) = rows(pindna("extract", name, "--json"))
    assert list(row) == KEYS
    assert (row["input"], row["kind"], row["encoding"]) == (name, *expected)


def test_rules_and_offsets(pindna, tmp_path):
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "rules.toml").write_text('text = "i"\ntitle = "p"\n', encoding="utf-8")
    (row,) = rows(pindna("extract", "a.html", "--rules", "rules.toml", "--offsets", "--json"))
    assert (row["text"], row["title"]) == (SLOGAN, PROSE)
    ((start, end, source_start, source_end),) = row["offsets"]
    assert (start, end) == (0, len(SLOGAN))
    assert PAGE[source_start:source_end] == SLOGAN


@pytest.mark.parametrize("content", ["text = [", 'txt = "p"', 'text = "p[["'])
def test_bad_rules_are_a_single_line(pindna, tmp_path, content):
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(content, encoding="utf-8")
    done = pindna("extract", "a.html", "--rules", "rules.toml", status=2)
    assert done.stdout == ""


def test_source_applies_its_rules_and_the_repeats_of_its_site(pindna, stores, tmp_path):
    learner = Learner()
    for number in range(6):
        learner.add("x.example", f"{story(20, number)}。\n{story(20, number + 50)}。{SLOGAN}")
    learner.store(stores.repeats)
    stores.sources.save(
        Source(name="s", kind="news", start_urls=("http://x.example/",), rules=SiteRules(text=("p", "i")))
    )
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (row,) = rows(pindna("extract", "a.html", "--source", "s", "--json"))
    assert row["text"] == "\n".join([PROSE] * 9)
    assert row["dropped"]["repeated"] == len(SLOGAN)

    (known,) = rows(pindna("site", "repeated", "x.example", "--json"))
    assert known == {"id": known["id"], "text": SLOGAN, "texts": 6, "kept": False, "protected": False}
    assert known["id"] in pindna("site", "repeated", "x.example").stdout
    (kept,) = rows(pindna("site", "repeated", "x.example", "--keep", known["id"], "--json"))
    assert kept["kept"] is True
    (row,) = rows(pindna("extract", "a.html", "--source", "s", "--json"))
    assert row["text"].endswith(SLOGAN)
    (back,) = rows(pindna("site", "repeated", "x.example", "--remove", known["id"], "--json"))
    assert back["kept"] is False


def test_source_applies_the_learnt_container_until_it_is_disabled(pindna, stores, tmp_path):
    learner = TemplateLearner()
    for number in range(3):
        learner.add("x.example", f"正文{number}", PageForm(("div:0",), {7: "候鸟飞过湿地。"}))
    learner.store(stores.templates)
    stores.sources.save(Source(name="s", kind="news", start_urls=("http://x.example/",)))

    (place,) = rows(pindna("site", "template", "x.example", "--json"))
    assert place == {
        "id": place["id"], "path": "div:0", "pages": 3, "sample": 3, "frame": 1, "used": True
    }  # fmt: skip
    assert "div:0" in pindna("site", "template", "x.example").stdout
    (ignored,) = rows(pindna("site", "template", "x.example", "--ignore", place["id"], "--json"))
    assert ignored["used"] is False
    (used,) = rows(pindna("site", "template", "x.example", "--use", place["id"], "--json"))
    assert used == place
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (row,) = rows(pindna("extract", "a.html", "--source", "s", "--json"))
    assert row["text"].startswith(PROSE)


@pytest.mark.usefixtures("stores")
def test_unknown_sites_and_sources_are_refused(pindna, tmp_path):
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    assert "called y.example" in pindna("site", "repeated", "y.example", status=2).stderr
    pindna("site", "repeated", "y.example", "--keep", "00", status=2)
    assert "called y.example" in pindna("site", "template", "y.example", status=2).stderr
    pindna("site", "template", "y.example", "--ignore", "00", status=2)
    pindna("extract", "a.html", "--source", "nobody", status=2)
