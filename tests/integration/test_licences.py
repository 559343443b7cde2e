"""A licence reaches every stored find of its site at once, with a real worker and without a scan."""

import json
from contextlib import closing

import pytest
from support.strategies import story
from support.waiting import wait_until

from analysis.accounts.permissions import local_identity
from analysis.actions.licences import revoke_licence
from analysis.queries.works import unjudged_pages
from storage.records import Page, Scan, utc_now
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
TEXTS = {number: story(300, number) for number in range(8)}


@pytest.mark.usefixtures("background_worker")
def test_licence_reaches_all_finds_of_the_site_without_a_scan(pindna, stores, settings, tmp_path):
    """A scan was running when the pages were compared, which alone would have reached only some of them."""
    (tmp_path / "青灯渡.txt").write_text("\n".join(TEXTS.values()), encoding="utf-8")
    for number, text in TEXTS.items():
        url = f"http://www.a.cn/{number}"
        page = Page(id=f"p{number}", url=url, host="www.a.cn", source="x", kind="article", text=text)
        stores.pages.see_many([page])
    stores.database["pages"].update_many({}, {"$set": {"state": "compared", "verdict": "clear"}})
    pindna("corpus", "add", "青灯渡.txt")
    assert {page.verdict for page in stores.pages.all()} == {"copy"}
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("x",), started=utc_now()))

    granted = pindna("licence", "add", "青灯渡", "www.a.cn", "--attribution", "--share", "1").stdout
    assert "8 pages were judged again." in granted
    assert {page.verdict for page in stores.pages.all()} == {"copy"}  # no page names the title
    assert {match.licence for match in stores.matches.of_work(1)} == {"no-attribution"}

    pindna("licence", "add", "青灯渡", "*.a.cn", "--add")
    assert {page.verdict for page in stores.pages.all()} == {"licensed"}
    assert {match.verdict for match in stores.matches.of_work(1)} == {"licensed"}
    waiting = pindna("review", "list", "--json").stdout.splitlines()
    assert [row for row in map(json.loads, waiting) if row["verdict"] != "licensed"] == []

    identity = local_identity("ana", "administrator")
    with closing(open_runtime(settings)) as runtime:
        for site in ("*.a.cn", "a.cn"):
            revoke_licence(identity, runtime, 1, site)
        wait_until(lambda: not unjudged_pages(identity, runtime.stores, 1))
    assert {page.verdict for page in stores.pages.all()} == {"copy"}
