"""Cases in a browser: filters, moves, bulk acts, notices, evidence, and two people at one case."""

import re
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.console import SITES, go, screenshot

from analysis.accounts.permissions import identity_of
from analysis.actions import cases as acts
from analysis.evidence.verifying import verify_package
from storage.records import LEADS, Contact, LookupResult, Proposal, SiteLookup, utc_now
from system.messages import Message
from system.sites import site_of_host

pytestmark = pytest.mark.services
NOVEL, NEWS = site_of_host(SITES[1]), site_of_host(SITES[2])


def cases_on(console, site, **wanted):
    return list(console.runtime.stores.cases.listed(site=site, verdicts=LEADS, **wanted))


def case_of(console, site, title):
    return next(case for case in cases_on(console, site) if case.work_title == title)


def test_address_filters_and_a_field_becomes_the_address(console):
    with console.page("/cases?chars=>2000&verdict=leads", "ana", language="en") as page:
        stored = [
            case
            for case in console.runtime.stores.cases.listed(verdicts=LEADS)
            if case.copied_chars > 2000 and case.state != "closed"
        ]
        rows = page.locator("table.list tbody tr")
        assert stored
        expect(rows).to_have_count(len(stored))
        assert page.get_by_label("Copied characters").input_value() == ">2000"
        page.get_by_label("Site").fill(NEWS)
        page.get_by_label("Site").press("Enter")
        page.wait_for_url(lambda url: f"site={NEWS}" in url and "chars=" in url)
        page.goto("/cases?chars=lots")
        expect(page.get_by_role("alert")).to_contain_text("lots")
        page.goto("/cases?work=there+is+none")
        expect(page.get_by_role("alert")).to_be_visible()
        page.goto("/cases?state=refused")
        expect(page.get_by_text("There is no such case.")).to_be_visible()


def test_case_moves_with_a_note_in_history_and_audit_log(console):
    case = case_of(console, NOVEL, "雾港来信")
    with console.page(f"/cases/{case.name}", "ana", language="en") as page:
        screenshot(page, "case")
        page.get_by_role("button", name="Move to “Closed”").click()
        dialog = page.get_by_role("dialog")
        do = dialog.get_by_role("button", name=f"Move {case.name} to “Closed”")
        expect(do).to_be_disabled()  # a reason is needed
        dialog.get_by_label("Reason (required)").fill("误报 <b>{{7*7}}</b>")
        do.click()
        expect(page.get_by_text(f"{case.name} is “Closed” now.")).to_be_visible()
        expect(page.locator(".rail [aria-current=step]")).to_contain_text("Closed")
        expect(page.get_by_label("History", exact=True).first).to_contain_text("误报 <b>{{7*7}}</b>")
        page.get_by_role("button", name="Reopen…").click()
        page.get_by_role("dialog").get_by_role("button", name=f"Reopen {case.name}").click()
        expect(page.locator(".rail [aria-current=step]")).not_to_contain_text("Closed")
        note = page.get_by_label("Note", exact=True)
        note.fill("还没写完 <b>{{7*7}}</b>")
        page.reload()  # as a server that is restarted makes it
        expect(note).to_have_value("还没写完 <b>{{7*7}}</b>")
        page.get_by_role("button", name="Add note").click()
        expect(page.get_by_text(f"Added to the history of {case.name}.")).to_be_visible()
        page.reload()
        page.wait_for_function("window.did_handshake")
        expect(note).to_have_value("")
    stores = console.runtime.stores
    closed = next(event for event in stores.events.of_case(case.number) if event.after == "closed")
    assert (closed.by, closed.because) == ("ana", "误报 <b>{{7*7}}</b>")
    audit = [event for event in stores.events.of_case(0) if event.subject == f"case {case.name}"]
    assert [event.by for event in audit] == ["ana", "ana", "ana"]  # the note too
    assert '"state": "closed"' in audit[0].detail["after"]
    assert '"state": "closed"' in audit[1].detail["before"]


def test_second_user_of_a_case_is_shown_the_change_of_the_first(console):
    case = case_of(console, NOVEL, "青灯渡")
    bai = identity_of(console.runtime.stores.accounts.get("bai"))
    with console.page(f"/cases/{case.name}", "ana", language="en") as page:
        acts.assign(bai, console.runtime, case.name, to="bai")
        page.get_by_label("Assigned to").fill("ana")
        page.get_by_role("button", name="Assign", exact=True).click()
        expect(page.get_by_text(f"bai has just changed {case.name}")).to_be_visible()
        expect(page.get_by_label("Assigned to")).to_have_value("bai")  # as it is now
        page.get_by_label("Assigned to").fill("ana")
        page.get_by_role("button", name="Assign", exact=True).click()
        expect(page.get_by_text(f"{case.name} is assigned.")).to_be_visible()
    assert console.runtime.stores.cases.get(case.name).assignee == "ana"


def test_bulk_action_shows_its_effect_before_it_runs(console):
    wanted = cases_on(console, NEWS)
    assert len(wanted) > 1
    with console.page(f"/cases?site={NEWS}&verdict=leads", "ana", language="en") as page:
        expect(page.get_by_role("button", name="Assign…")).to_be_disabled()
        page.get_by_role("button", name="Choose all shown").click()
        expect(page.get_by_text(f"{len(wanted)} cases chosen")).to_be_visible()
        page.get_by_role("button", name="Assign…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Assignee; empty").fill("bai")
        told = f"{len(wanted)} cases change, about {len({case.work_id for case in wanted})} works on 1 sites"
        expect(dialog).to_contain_text(told)
        screenshot(page, "cases-bulk")
        stores = console.runtime.stores
        assert {stores.cases.get(case.name).assignee for case in wanted} == {""}  # nothing is done yet
        dialog.get_by_role("button", name=f"Change {len(wanted)} cases").click()
        expect(dialog).to_contain_text(f"{len(wanted)} cases were changed.")
        dialog.get_by_role("button", name="Close").click()
        expect(page.get_by_role("cell", name="bai")).to_have_count(len(wanted))
    assert {stores.cases.get(case.name).assignee for case in wanted} == {"bai"}


def test_notice_is_shown_before_it_is_made_and_a_draft_is_never_sent(console):
    case = case_of(console, NOVEL, "青灯渡")
    stores = console.runtime.stores
    with console.page(f"/cases/{case.name}", "ana", language="en") as page:
        page.get_by_role("button", name="Write a notice…").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("pre.letter")).to_contain_text("青灯渡")
        expect(dialog).to_contain_text("Missing:")
        expect(dialog.get_by_role("button", name="Create the notice with evidence")).to_be_disabled()
        screenshot(page, "notice-preview")
        assert list(stores.notices.listed(case=case.number)) == []
        dialog.get_by_role("button", name="Recipients…").click()
        contact = page.get_by_role("dialog", name=f"Recipients for {NOVEL}")
        contact.get_by_label("Name of the organisation").fill("某某网")
        contact.get_by_label("Mail address").fill("nobody")
        contact.get_by_role("button", name="Save").click()
        expect(page.get_by_text("“nobody” is not a mail address")).to_be_visible()
        contact.get_by_label("Mail address").fill("legal@site.example")
        contact.get_by_role("button", name="Save").click()
        expect(page.get_by_text("某某网 <legal@site.example>")).to_be_visible()
        expect(contact).to_have_count(0)
        lacking = dialog.get_by_text("Missing: the holder's address")
        expect(lacking).to_be_visible()
        dialog.get_by_role("button", name="Details…").click()
        holder = page.get_by_role("dialog", name="Details of ").last
        holder.get_by_label("Postal address").fill("某路 1 号")
        proof = {"name": "证.pdf", "mimeType": "application/pdf", "buffer": b"%PDF"}
        holder.locator("input[type=file]").set_input_files([proof])
        expect(holder.get_by_text("Proof of title: 证.pdf")).to_be_visible()
        screenshot(page, "notice-holder")
        holder.get_by_role("button", name="Save").click()
        expect(lacking).to_have_count(0)
        expect(dialog.get_by_text("Missing: proof of the holder's title to the work")).to_have_count(0)
        dialog.get_by_role("button", name="Make a draft").click()
        row = page.get_by_label("Notices", exact=True).get_by_role("row").filter(has_text="Draft")
        expect(row).to_be_visible(timeout=60_000)
        row.get_by_role("button").click()
        shown = page.get_by_role("dialog")
        expect(shown).to_contain_text("Draft: it is never sent")
        expect(shown.get_by_role("button", name="Send")).to_have_count(0)
        with page.expect_download() as downloaded:
            shown.get_by_role("link", name="Word").click()
        assert downloaded.value.suggested_filename.endswith(".docx")
        expect(shown.get_by_text("Forms of platforms")).to_have_count(0)  # never of a draft
        go(page, f"/cases?site={NOVEL}")
        page.get_by_role("button", name=f"One letter for {NOVEL}…").click()
        letter = page.get_by_role("dialog", name=f"Write a notice about {NOVEL}")
        expect(letter.get_by_text(f"No confirmed copy on {NOVEL} belongs in this letter")).to_be_visible()
        expect(letter.get_by_role("button", name="Make a draft")).to_be_disabled()
    (notice,) = stores.notices.listed(case=case.number)
    assert (notice.is_draft, notice.by) == (True, "ana")


@pytest.mark.long
def test_holder_exports_evidence_of_a_visible_case_and_it_verifies(console, tmp_path):
    own = case_of(console, NOVEL, "青灯渡")
    other = case_of(console, NOVEL, "雾港来信")
    with console.page("/cases?verdict=leads&work_share=>0", "hol", language="en") as page:
        expect(page.locator("tbody tr").first).to_be_visible()
        titles = {row.locator("td").nth(4).inner_text() for row in page.locator("tbody tr").all()}
        assert len(titles) == 1
        assert page.get_by_role("button", name="Move…").count() == 0  # evidence is all that a holder may have
        page.goto(f"/cases/{other.name}")
        expect(page.get_by_role("alert")).to_be_visible()
        go(page, f"/cases/{own.name}")
        expect(page.locator(".rail button")).to_have_count(0)
        go(page, "/cases?verdict=leads")
        page.get_by_role("checkbox", name=f"Choose {own.name}", exact=True).click()
        page.get_by_role("button", name="Evidence…").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Cases 1 · works 1 · sites 1")
        expect(dialog.get_by_role("checkbox")).to_be_disabled()  # holders get no other
        expect(dialog.get_by_role("listitem")).to_have_count(0)  # nothing is done yet
        dialog.get_by_role("button", name="Make 1 package").click()
        together = dialog.get_by_role("link", name=re.compile("^Fetch all in one file"))
        expect(together).to_be_visible(timeout=180_000)
        screenshot(page, "cases-exported")
        number = dialog.get_by_role("link", name=re.compile("^PD-")).inner_text()
        with page.expect_download() as downloaded:
            together.click()
        downloaded.value.save_as(tmp_path / "evidence.zip")
        go(page, f"/cases/{own.name}")
        expect(page.get_by_role("link", name=number)).to_be_visible()
    with zipfile.ZipFile(tmp_path / "evidence.zip") as packed:
        path = Path(packed.extract(f"{number}.zip", tmp_path))
        assert packed.read("SHA256SUMS").decode().split() == [
            sha256(path.read_bytes()).hexdigest(),
            path.name,
        ]
    verified = verify_package(path)
    assert verified.is_intact
    assert verified.matches
    with console.window("bai") as window:  # analysts see everything
        assert window.request.get(f"/evidence/{number}").status == 200
        assert window.request.get("/evidence/PD-none").status == 404
        assert window.request.get(f"/evidence/together?of={number}&of=PD-none").status == 404
        assert window.request.get("/notices/n1/passwd").status in (404, 422)


def test_proposal_of_a_look_up_becomes_a_contact_when_confirmed(console):
    site, stores = "dengta.cn", console.runtime.stores
    mail = Proposal(
        id="a1b2c3d4",
        step="network",
        subject="host",
        kind="email",
        value="abuse@lamp.cn",
        source="https://rdap.example/ip/8.8.4.4",
        words="abuse",
    )
    reason = Message("{host} cannot be reached", {"host": "h"})
    failed = LookupResult(step="domain", state="failed", reason=reason)
    lookup = SiteLookup(id=site, at=utc_now(), by="ana", pages_read=0, results=(failed,), proposals=(mail,))
    stores.site_lookups.save(lookup)
    stores.contacts.save(Contact(id=f"host:{site}", role="host", site=site, email="old@lamp.cn"))
    with console.page(f"/sites/{site}", "ana", language="en") as page:
        line = "Registration of the domain: no answer (h cannot be reached)"
        expect(page.get_by_text(line)).to_be_visible()
        page.get_by_role("button", name="Confirm abuse@lamp.cn").click()
        expect(page.get_by_text("Confirmed: abuse@lamp.cn")).to_be_visible()
        expect(page.get_by_text("“old@lamp.cn” was replaced with “abuse@lamp.cn”")).to_be_visible()
        expect(page.get_by_role("table", name="Contacts")).to_contain_text("abuse@lamp.cn")
        page.get_by_role("button", name="Look up now").click()
        expect(page.get_by_text("set analysis.lookup.name_server")).to_be_visible()
        expect(page.get_by_role("table", name="Proposals")).to_contain_text("abuse@lamp.cn")  # from before
    contact = stores.contacts.find("host", site)
    assert (contact.email, contact.role) == ("abuse@lamp.cn", "host")
    (event,) = (event for event in stores.events.of_case(0) if event.subject == f"contact host:{site}")
    assert (event.by, event.detail["source of email"]) == ("ana", "https://rdap.example/ip/8.8.4.4")
