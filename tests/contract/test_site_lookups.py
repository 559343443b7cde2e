"""Look-ups of sites on a real database: proposals stay proposals until a person confirms them."""

import hashlib
import json
from contextlib import contextmanager

import pytest
from support.name_server import served_records
from support.rdap_answers import DOMAIN, NETWORK
from support.webserver import Reply, web_site

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions.contacts import SeveralValues, UnclearRole, confirm_proposals, look_up_site, set_contact
from analysis.queries.contacts import find_lookup, get_lookup
from analysis.words.i18n import translator
from analysis.words.lookups import replaced_lines
from storage.collections.pages import page_id
from storage.records import Account, Page, Snapshot, utc_now
from storage.running.live_settings import LiveSettings
from storage.settings.results import LookupSettings
from system.errors import UnknownRecord
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
ANALYST = identity_of(Account(name="an", role="analyst"))
HOLDER = identity_of(Account(name="li", role="holder", holders=("x",)))
STORY = "雾从江心漫过来的时候，老许正在数灯，来信请寄 xu@lamp-story.cn 收。"
FOOTER = (
    "<div>版权所有 杭州灯塔科技有限公司 浙ICP备2021000001号-1 "
    "<a href=/tousu>侵权投诉</a> 邮箱 tousu#lamp.cn</div>"
)
RECORDS = {("lamp.cn.", "A"): ["8.8.4.4"], ("lamp.cn.", "NS"): ["ada.ns.cloudflare.com."]}


@pytest.fixture
def runtime(stores, settings, redis_client, guard):
    runtime = Runtime(settings, stores, redis_client, guard, Queue(settings.storage))
    yield runtime
    runtime.queue.close()


def add_page(stores, number, body, *, text=STORY, stored=True, rest="", title=""):
    data = f"<meta charset=utf-8><body><p>{text}</p>{body}</body>".encode()
    digest, url = hashlib.sha256(data).hexdigest(), f"http://m.lamp.cn/{number}.html"
    snapshot = Snapshot(sha256=digest, url=url, status=200, headers=b"", body=data, fetched=utc_now())
    if stored:
        stores.snapshots.save(snapshot)
    page = Page(
        id=page_id(url, digest),
        url=url,
        host="m.lamp.cn",
        source="x",
        kind="chapter",
        title=title,
        text=text,
        content_hash=digest,
        snapshots=(digest,),
        rest=rest,
    )
    stores.pages.see_many([page])


@contextmanager
def servers(runtime, pages):
    """The runtime, configured with a name server and an RDAP server on this machine."""
    with web_site(pages) as site, served_records(RECORDS) as (port, asked):
        lookup = LookupSettings(rdap_url=site.url, name_server=f"127.0.0.1:{port}", timeout_s=5)
        settings = runtime.settings
        analysis = settings.analysis.model_copy(update={"lookup": lookup})
        allowed = (site.url.removeprefix("http://"),)
        crawler = settings.crawler.model_copy(update={"allow_inner": allowed})
        changed = settings.model_copy(update={"analysis": analysis, "crawler": crawler})
        before = runtime.live_settings
        runtime.live_settings = LiveSettings(changed, runtime.stores.stored_settings.get)
        yield site, asked
        runtime.live_settings = before


def states(view):
    return {result.step: result.state for result in view.lookup.results}


def proposal(view, kind, subject="site"):
    return next(row for row in view.lookup.proposals if (row.kind, row.subject) == (kind, subject))


def test_pages_give_proposals_with_source_and_count(runtime):
    for number in range(3):
        add_page(runtime.stores, number, FOOTER)
    add_page(runtime.stores, 3, "", stored=False, rest="站长邮箱 old@lamp.cn")
    view = look_up_site(ANALYST, runtime, "lamp.cn")
    assert view.lookup.pages_read == 4
    counts = {row.value: (row.pages, row.is_in_text) for row in view.lookup.proposals}
    assert counts == {
        "杭州灯塔科技有限公司": (3, False),
        "tousu@lamp.cn": (3, False),
        "old@lamp.cn": (1, False),
        "xu@lamp-story.cn": (3, True),
        "http://m.lamp.cn/tousu": (3, False),
        "浙ICP备2021000001号-1": (3, False),
    }
    assert "侵权投诉" in proposal(view, "email").words
    assert states(view) == {"pages": "answered", "names": "off", "domain": "off", "network": "off"}


def test_look_up_without_configuration_asks_no_server(runtime):
    view = look_up_site(ANALYST, runtime, "lamp.cn")
    assert states(view) == {"pages": "empty", "names": "off", "domain": "off", "network": "off"}
    reasons = [str(result.reason) for result in view.lookup.results]
    assert reasons[0] == "no page of the site is stored"
    assert reasons[1].endswith("set analysis.lookup.name_server")
    assert reasons[2].endswith("set analysis.lookup.rdap_url or analysis.lookup.rdap_bootstrap")


def test_servers_give_registrar_network_and_cdn(runtime):
    pages = {"/domain/lamp.cn": Reply(json.dumps(DOMAIN)), "/ip/8.8.4.4": Reply(json.dumps(NETWORK))}
    with servers(runtime, pages) as (site, _):
        view = look_up_site(ANALYST, runtime, "lamp.cn")
        assert proposal(view, "email", "host").source == f"{site.url}/ip/8.8.4.4"
    assert states(view) == {
        "pages": "empty",
        "names": "answered",
        "domain": "answered",
        "network": "answered",
    }
    assert proposal(view, "cdn", "host").value == "Cloudflare"
    assert proposal(view, "email", "registrar").value == "abuse@registrar.cn"


def test_failed_step_keeps_the_proposals_of_an_earlier_look_up(runtime):
    with servers(runtime, {"/domain/lamp.cn": Reply(json.dumps(DOMAIN))}) as (site, _):
        before = proposal(look_up_site(ANALYST, runtime, "lamp.cn"), "registrar", "registrar")
        site.pages.clear()
        site.default = Reply("", status=500)
        view = look_up_site(ANALYST, runtime, "lamp.cn")
    assert (states(view)["domain"], states(view)["network"]) == ("failed", "failed")
    assert proposal(view, "registrar", "registrar") == before
    assert view == get_lookup(ANALYST, runtime.stores, "lamp.cn")


@pytest.mark.parametrize(
    "site", ["10.0.0.1", "[::1]:81", "8.8.4.4:8080", "localhost", "例子.中国", "a" * 300 + ".cn"]
)
def test_sites_of_every_form_end_with_four_results(site, runtime):
    with servers(runtime, {"/ip/8.8.4.4": Reply(json.dumps(NETWORK))}) as (server, _):
        view = look_up_site(ANALYST, runtime, site)
        assert {path for path, *_ in server.asked} <= {"/ip/8.8.4.4", "/domain/xn--fsqu00a.xn--fiqs8s"}
    assert list(states(view)) == ["pages", "names", "domain", "network"]
    assert (states(view)["network"] == "answered") == site.startswith("8.8.4.4")


def test_only_confirmed_proposals_become_a_contact_with_their_source(runtime):
    add_page(runtime.stores, 1, FOOTER)
    view = look_up_site(ANALYST, runtime, "lamp.cn")
    assert runtime.stores.contacts.find("site", "lamp.cn") is None
    chosen = [proposal(view, kind).id for kind in ("name", "email", "form", "icp")]
    for _ in range(2):
        confirmed = confirm_proposals(ANALYST, runtime, "lamp.cn", chosen)
        assert confirmed.replaced == {}
    contact = confirmed.contact
    assert (contact.name, contact.email) == ("杭州灯塔科技有限公司", "tousu@lamp.cn")
    assert (contact.form, contact.note) == ("http://m.lamp.cn/tousu", "浙ICP备2021000001号-1")
    event = next(event for event in runtime.stores.events.since(0) if event.subject == "contact site:lamp.cn")
    assert (event.by, event.detail["act"]) == ("an", "set-contact")
    assert event.detail["source of email"] == "http://m.lamp.cn/1.html"
    renewed = find_lookup(ANALYST, runtime.stores, "lamp.cn")
    assert [renewed.role_of(row) for row in renewed.lookup.proposals if row.id in chosen] == ["site"] * 4


def test_proposals_that_contradict_are_refused(runtime):
    add_page(runtime.stores, 1, FOOTER)
    with servers(runtime, {"/domain/lamp.cn": Reply(json.dumps(DOMAIN))}):
        view = look_up_site(ANALYST, runtime, "lamp.cn")
    mails = [row.id for row in view.lookup.proposals if (row.kind, row.subject) == ("email", "site")]
    registrar = proposal(view, "email", "registrar").id
    for chosen, error in (
        (mails, SeveralValues),
        ([registrar], UnclearRole),
        ([mails[0], registrar], UnclearRole),
    ):
        with pytest.raises(error):
            confirm_proposals(ANALYST, runtime, "lamp.cn", chosen)
    with pytest.raises(UnknownRecord):
        confirm_proposals(ANALYST, runtime, "lamp.cn", ["00000000"])
    assert runtime.stores.contacts.find("site", "lamp.cn") is None
    confirmed = confirm_proposals(ANALYST, runtime, "lamp.cn", [registrar], role="host")
    assert confirmed.contact.email == "abuse@registrar.cn"


def test_confirmation_reports_the_value_that_it_replaced(runtime):
    add_page(runtime.stores, 1, FOOTER)
    view = look_up_site(ANALYST, runtime, "lamp.cn")
    set_contact(ANALYST, runtime, "site", "lamp.cn", {"email": "checked@lamp.cn", "phone": "0571-1"})
    email = proposal(view, "email")
    confirmed = confirm_proposals(ANALYST, runtime, "lamp.cn", [email.id])
    assert confirmed.replaced == {"email": "checked@lamp.cn"}
    assert list(replaced_lines(confirmed.contact, confirmed.replaced, translator("en"))) == [
        f"Mail address: “checked@lamp.cn” was replaced with “{email.value}”"
    ]


def test_rights_holders_neither_look_up_nor_confirm(runtime):
    for act in (
        lambda: look_up_site(HOLDER, runtime, "lamp.cn"),
        lambda: confirm_proposals(HOLDER, runtime, "lamp.cn", ["x"]),
        lambda: find_lookup(HOLDER, runtime.stores, "lamp.cn"),
    ):
        with pytest.raises(NotPermitted):
            act()
    with pytest.raises(UnknownRecord):
        get_lookup(ANALYST, runtime.stores, "lamp.cn")
