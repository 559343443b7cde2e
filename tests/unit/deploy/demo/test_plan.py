"""The plan says of every sample page what it holds and what a scan must find."""

import json
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise

from rapidfuzz.distance import Indel

from deploy.demo.disguises import is_han
from deploy.demo.layout import BOOKS, ENTRANCES, LINES, UNCHECKED
from deploy.demo.plan import licences, plan, sources
from deploy.demo.samples import MOTHER_CORPUS, load_samples
from fingerprint.text.letters import to_letters
from fingerprint.text.variants import fold

BASE_URLS = {
    "portal": "http://127.0.0.1:8801",
    "novels": "http://127.0.0.1:8802",
    "licensed": "http://127.0.0.1:8803",
    "blog": "http://127.0.0.1:8804",
}
SAMPLES = load_samples()
LINE_OF = {(line.site, line.path): line for line in LINES}


def pages(disguise):
    return [
        (page, SAMPLES[LINE_OF[page.site, page.path].takes].text)
        for page in plan()
        if page.disguise == disguise
    ]


def test_samples_are_long_enough_and_repeat_nothing():
    works = {sample.work: sample for sample in SAMPLES.values() if sample.protected}
    assert sum(is_han(character) for sample in SAMPLES.values() for character in sample.text) >= 40_000
    assert sum(":" in sample.ref and not sample.ref.startswith("news") for sample in works.values()) >= 3
    assert sum(sample.ref.startswith("news") for sample in works.values()) >= 12
    paragraphs = Counter(line for sample in SAMPLES.values() for line in sample.text.split("\n"))
    assert {line: count for line, count in paragraphs.items() if count > 1 and len(line) > 20} == {}


def test_novels_are_split_at_every_heading():
    chapters = Counter(sample.work for sample in SAMPLES.values() if "news" not in sample.ref)
    assert all(count >= 3 for count in chapters.values())
    assert not [
        sample for sample in SAMPLES.values() if re.search(r"^第.{1,4}[章回] ", sample.text, re.MULTILINE)
    ]
    assert all(sample.text and sample.title and sample.author for sample in SAMPLES.values())
    assert all(path.exists() for path in MOTHER_CORPUS)


def test_plan_is_the_same_in_another_process():
    program = (
        "import hashlib, json; from deploy.demo.plan import plan; "
        "print(json.dumps({p.site + p.path: hashlib.sha256(p.text.encode()).hexdigest() for p in plan()}))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(json.loads(outputs[0])) == len(LINES)


def test_every_page_has_a_distinct_address():
    addresses = [(page.site, page.path) for page in (*plan(), *UNCHECKED)]
    assert len(addresses) == len(set(addresses))


def test_table_covers_every_verdict_disguise_and_protected_sample():
    verdicts = Counter(page.expected for page in plan())
    assert len(plan()) >= 25
    assert set(verdicts) == {"copy", "partial", "quote", "licensed", "clear"}
    assert verdicts["clear"] >= 6
    assert {page.disguise for page in plan()} >= {
        "verbatim", "edited", "homophones", "traditional", "shuffled", "adverts", "half", "quotation"
    }  # fmt: skip
    used = {ref for line in LINES for ref in (line.takes, *line.around)}
    assert {sample.ref for sample in SAMPLES.values()} <= used


def test_expected_verdict_follows_from_the_page():
    for page in plan():
        line = LINE_OF[page.site, page.path]
        assert (page.work is None) == (page.expected == "clear") == (not SAMPLES[line.takes].protected)
        assert (page.expected == "quote") == (page.disguise == "quotation")
        assert (page.expected == "partial") == (page.disguise == "half")
    assert {page.site for page in plan() if page.expected == "licensed"} == {"licensed"}
    assert [page.work for page in plan() if page.site == "licensed" and page.expected == "copy"] == [
        "雾港来信"
    ]


def test_verbatim_and_traditional_pages_are_the_samples():
    assert all(page.text == text for page, text in pages("verbatim"))
    for page, text in pages("traditional"):
        assert page.text != text
        assert fold(page.text) == fold(text)


def test_edited_pages_keep_about_nine_tenths():
    for page, text in pages("edited"):
        assert 0.86 < Indel.normalized_similarity(page.text, text) < 0.95


def test_homophone_pages_sound_the_same():
    for page, text in pages("homophones"):
        changed = sum(a != b for a, b in zip(page.text, text, strict=True))
        assert changed == round(0.4 * sum(map(is_han, text)))
        assert str(to_letters(page.text)) == str(to_letters(text))


def test_shuffled_pages_have_hardly_two_sentences_in_order():
    for page, text in pages("shuffled"):
        assert Counter(page.text) == Counter(text)
        assert Indel.normalized_similarity(page.text, text) < 0.7


def test_advert_pages_are_the_samples_without_their_adverts():
    for page, text in pages("adverts"):
        kept = [line for line in page.text.split("\n") if line in text.split("\n")]
        assert "\n".join(kept) == text
        assert len(page.text) > len(text)


def test_half_of_a_partial_page_is_copied():
    for page, text in pages("half"):
        copied = sum(len(line) for line in page.text.split("\n") if line in text.split("\n"))
        assert 0.4 < copied / len(page.text) < 0.6


def test_quotations_are_short_stretches_in_long_foreign_pages():
    inner = str.maketrans("“”", "‘’")
    for page, text in pages("quotation"):
        source = text.translate(inner)
        quoted = [
            stretch
            for stretch in re.findall(r"“([^“”]+)”", page.text)
            if stretch in source and len(stretch) >= 60
        ]
        assert [60 <= len(stretch) <= 120 for stretch in quoted] == [True]
        assert len(page.text) - len(quoted[0]) >= 900


def test_clear_pages_share_no_long_stretch_with_the_mother_corpus():
    corpus = "\n".join(sample.text for sample in SAMPLES.values() if sample.protected)
    for page in plan():
        if page.expected == "clear":
            stretches = (page.text[start : start + 15] for start in range(len(page.text) - 15))
            assert not [stretch for stretch in stretches if stretch in corpus]


def test_no_paragraph_is_on_two_pages_of_a_site():
    adverts = {line for page in plan() if page.disguise == "adverts" for line in page.text.split("\n")}
    for site in BASE_URLS:
        lines = Counter(
            line for page in plan() if page.site == site for line in page.text.split("\n") if len(line) > 20
        )
        assert [line for line, count in lines.items() if count > 1 and line not in adverts] == []


def test_chapters_belong_to_a_book_in_order():
    for book in BOOKS:
        paths = [page.path for page in plan() if page.site == book.site and page.path.startswith(book.path)]
        assert paths
        numbers = [int(re.findall(r"\d+", path)[-1]) for path in paths]
        assert all(a < b for a, b in pairwise(numbers))


def test_licences_name_hosts_and_leave_out_the_works_without():
    hosts = licences(BASE_URLS)
    assert hosts["星槎纪事"] == ("127.0.0.1:8803",)
    assert "雾港来信" not in hosts
    assert "青灯渡" not in hosts
    assert len(hosts) == 13
    licensed = {page.work for page in plan() if page.expected == "licensed"}
    assert licensed <= set(hosts)


def test_sources_begin_on_the_sites_and_accept_every_page_of_theirs():
    by_name = {source.name: source for source in sources(BASE_URLS)}
    assert len(by_name) == len(ENTRANCES)
    for page in plan():
        url = BASE_URLS[page.site] + page.path
        accepting = [
            source
            for source in by_name.values()
            if source.start_urls[0].startswith(BASE_URLS[page.site]) and re.search(source.follow, url)
        ]
        assert len(accepting) == 1, url
