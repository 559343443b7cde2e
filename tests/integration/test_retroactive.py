"""A work added today meets three hundred stored pages, with a real worker that is killed on the way."""

import subprocess

import pytest
from support.processes import PINDNA, environment_of, kill_group, worker
from support.strategies import story
from support.waiting import wait_until

from deploy.demo.samples import SAMPLES, load_samples
from storage.records import Page

NOVELS = SAMPLES / "novels"
TEXTS = load_samples()
PAGES = 300
COPIES = {f"青灯渡:{number}": range(number, PAGES, 60) for number in range(1, 8)}


@pytest.fixture
def stored(stores):
    """Three hundred pages, every eighth or so with a chapter of a novel that is not protected yet."""
    texts = {number: story(900, number) for number in range(PAGES)}
    for ref, places in COPIES.items():
        for place in places:
            texts[place] = story(50, place) + "\n" + TEXTS[ref].text
    for number, text in texts.items():
        url = f"http://a.cn/{number}"
        page = Page(id=f"p{number}", url=url, host="a.cn", source="x", kind="article", text=text)
        stores.pages.see_many([page])
    compared = {"state": "compared", "corpus_version": 0, "verdict": "clear"}
    stores.database["pages"].update_many({}, {"$set": compared})
    return {f"p{place}" for places in COPIES.values() for place in places}


def at_version(stores, version):
    return sum(each.corpus_version == version for each in stores.pages.all() if each.state == "compared")


@pytest.mark.long
def test_later_work_meets_stored_pages_although_the_worker_is_killed(settings, stores, stored, tmp_path):
    environment = environment_of(settings)
    log = tmp_path / "worker.log"

    def add(name):
        return subprocess.Popen(
            [PINDNA, "corpus", "add", str(NOVELS / f"{name}.txt")],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    with worker(environment, log):
        first = add("雾港来信")
        assert first.wait(200) == 0, first.communicate()
        first.communicate()
    before = stores.versions.current()
    assert at_version(stores, before) == PAGES
    assert {page.verdict for page in stores.pages.all()} == {"clear"}

    second = add("青灯渡")
    with worker(environment, log) as doomed:
        wait_until(lambda: at_version(stores, before) < PAGES - 10)
        wait_until(lambda: at_version(stores, before + 1) > 0)
        kill_group(doomed)
    with worker(environment, log):
        assert second.wait(200) == 0, second.communicate()
        second.communicate()
    assert at_version(stores, stores.versions.current()) == PAGES
    verdicts = {page.id: page.verdict for page in stores.pages.all()}
    assert {name for name, verdict in verdicts.items() if verdict == "copy"} == stored
    assert set(verdicts.values()) == {"copy", "clear"}
    (case,) = stores.cases.listed()
    assert (case.work_title, case.pages, case.passages) == ("青灯渡", len(stored), 7)
