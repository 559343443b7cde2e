"""Notices on the command line: from a confirmed case to letters on the disk, a mail and a reply."""

import json
from contextlib import closing
from datetime import UTC, datetime
from email import message_from_bytes
from functools import partial
from pathlib import Path

import pytest
from support.compared import compare_page
from support.letters import mail_server
from support.loading import raw, stored_corpus
from support.sample_novels import CHAPTERS

from analysis.evidence import layout
from analysis.evidence.opening import open_package
from analysis.notices.enclosing import OtherEvidence, existing_package_number
from storage.collections.pages import page_id
from storage.records import ClaimedDate, Page, utc_now
from tracker.corpus.chapters import ChapterSection
from tracker.judgement.cases import refresh_cases
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
NOVEL = "青灯渡"
SITE = "copy.example.cn"
HOSTILE = "第一章 </p><script>alert(1)</script> www.evil.example\r\nBcc: x@evil.example"


@pytest.fixture
def case(stores, redis_client, settings):
    """A case of one page with a hostile title and a date before the work's, not yet reviewed."""
    corpus = stored_corpus(stores, redis_client)
    text = CHAPTERS[NOVEL][0]
    dates = [
        ClaimedDate(at=datetime(year, 3, 1, tzinfo=UTC), precision="day", offset_minutes=480)
        for year in (2020, 2021)
    ]
    corpus.load(raw(ChapterSection("第一章", text), title=NOVEL, published=dates[1]))
    corpus.index_all()
    url = f"https://www.{SITE}/书/1.html"
    page = Page(
        id=page_id(url, "1"),
        url=url,
        host=SITE,
        source="s",
        kind="chapter",
        title=HOSTILE,
        text=text,
        content_hash="1",
        fetched=utc_now(),
        published=dates[0],
    )
    stores.pages.see_many([page])
    with closing(open_runtime(settings)) as runtime:
        token, ids, _ = stores.pages.reserve_fetched(count=100, lease_s=60)
        token, (taken,) = stores.pages.claim_many(ids, token=token, lease_s=60)
        assert compare_page(taken, stores, runtime.corpus(), token=token, lease_s=60)
    refresh_cases(stores, [(1, "example.cn")])
    (case,) = stores.cases.listed()
    return case


@pytest.fixture
def mail():
    with mail_server() as (inbox, settings):
        yield inbox, settings


@pytest.fixture
def pindna(pindna, environment, mail, tmp_path):
    """With a data folder of the test's own and settings that lead to the mail server."""
    environment |= {
        f"PINDNA_ANALYSIS__NOTICES__{name}": value
        for name, value in {
            "SEND": "true", "SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(mail[1].smtp_port),
            "SMTP_SECURITY": "none", "SENDER": "legal@qingdeng.example",
        }.items()
    }  # fmt: skip
    return partial(pindna, "--data-dir", tmp_path / "data")


def test_notice_from_the_case_to_the_reply(pindna, environment, stores, *, case, mail, tmp_path):
    refused = pindna("notice", "make", case.name, "--to", "host", "--holder", "青灯文化", status=2)
    assert "(pindna site contact set example.cn --role host --name)" in refused.stderr
    assert refused.stdout == ""
    named = [line for line in refused.stderr.splitlines() if line.startswith("Missing: ")]
    assert len(named) == 8
    assert not (tmp_path / "notices").exists()

    scan = tmp_path / "执照.pdf"
    scan.write_bytes(b"%PDF-1.4 scan")
    (tmp_path / "proof.pdf").write_bytes(b"%PDF-1.4 proof")
    pindna(
        "holder", "add", "青灯文化", "--address", "杭州市文三路 90 号", "--contact", "林晓岚",
        "--phone", "0571", "--email", "legal@qingdeng.example", "--identity", scan,
        "--title-proof", "proof.pdf", "--work", NOVEL,
    )  # fmt: skip
    pindna("site", "contact", "set", f"www.{SITE}", "--name", "某某网络", "--email", "notice@copy.example.cn")
    matches = [match.name for match in stores.matches.of_case(case.work_id, case.site)]
    pindna("review", "confirm", *matches)
    environment["PINDNA_CRAWLER__BROWSER_PATH"] = "/nowhere"  # no PDF can be printed
    done = pindna("notice", "make", case.name, "--holder", "青灯文化", "--as", "林", "--json")
    made = json.loads(done.stdout)
    assert "pdf" not in made["files"]
    assert "No PDF can be made" in done.stderr
    assert f"may be older than the work ({matches[0]})" in done.stderr
    assert set(made["files"]) >= {"docx", "txt", "eml", "evidence"}
    text = Path(made["files"]["txt"]["path"]).read_text(encoding="utf-8")
    assert f"<https://www.{SITE}/%E4%B9%A6/1.html>" in text
    assert "www[.]evil[.]example␊Bcc: x[@]evil[.]example" in text
    assert not [left for left in (tmp_path / "notices").iterdir() if left.name.startswith(".")]

    assert "--yes n1" in pindna("notice", "send", "n1", status=2).stderr
    assert "Nothing was sent" in pindna("notice", "send", "n1", "--yes", "n2").stdout
    inbox, _ = mail
    assert inbox.mails == []
    sent = json.loads(pindna("notice", "send", "n1", "--yes", "n1", "--json").stdout)
    assert (sent["state"], sent["receipt"]) == ("sent", "250 kept as 42")
    ((_, to, content),) = inbox.mails
    assert to == ["notice@copy.example.cn"]
    assert content == Path(made["files"]["eml"]["path"]).read_bytes()
    assert stores.cases.get(case.name).state == "notified"
    assert "its state is “Sent”" in pindna("notice", "send", "n1", "--yes", "n1", status=2).stderr

    (listed,) = pindna("notice", "list", "--case", case.name, "--json").stdout.splitlines()
    assert json.loads(listed)["name"] == "n1"
    assert "侵权通知书" in pindna("notice", "show", "n1").stdout
    replied = pindna("notice", "reply", "n1", "accepted", "--because", "已删除", "--json")
    assert json.loads(replied.stdout)["outcome"] == "accepted"
    assert stores.cases.get(case.name).state == "accepted"


def test_earlier_evidence_must_prove_the_claims_of_the_notice(pindna, environment, case, tmp_path):
    environment["PINDNA_CRAWLER__BROWSER_PATH"] = "/nowhere"  # no PDF can be printed
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.4 scan")
    pindna(
        "holder", "add", "青灯文化", "--address", "杭州", "--contact", "林晓岚", "--phone", "0571",
        "--registration", "9133", "--email", "legal@qingdeng.example", "--identity", "scan.pdf",
        "--title-proof", "scan.pdf",
    )  # fmt: skip
    pindna("site", "contact", "set", SITE, "--name", "某某网络")
    pindna("case", "confirm", case.name)
    make = partial(pindna, "notice", "make", case.name, "--holder", "青灯文化", "--evidence")
    pindna("evidence", "export", case.name, "-o", "whole.zip", status=None)
    assert "whole passages" in make("whole.zip", status=2).stderr
    assert "not a complete evidence package" in make("scan.pdf", status=1).stderr
    pindna("evidence", "export", case.name, "--excerpts", "-o", "enough.zip", status=None)
    made = json.loads(make("enough.zip", "--json").stdout)
    assert Path(made["files"]["evidence"]["path"]).read_bytes() == (tmp_path / "enough.zip").read_bytes()
    with pytest.raises(OtherEvidence, match="m99"):
        existing_package_number(tmp_path / "enough.zip", names={"another": "m99"}, is_outside=True)


def test_draft_marks_missing_facts_and_is_never_sent(pindna, case):
    done = pindna("notice", "make", case.name, "--kind", "dmca", "--holder", "青灯文化", "--draft", "--json")
    made = json.loads(done.stdout)
    assert made["draft"] is True
    assert "holder-address" in made["missing"]
    assert "eml" not in made["files"]
    assert Path(made["files"]["pdf"]["path"]).read_bytes().startswith(b"%PDF")
    assert "[MISSING: " in Path(made["files"]["txt"]["path"]).read_text(encoding="utf-8")
    assert "draft" in pindna("notice", "send", "n1", "--yes", "n1", status=2).stderr


def test_holders_and_contacts(pindna, tmp_path):
    pindna("holder", "add", "青灯文化", "--phone", "0571")
    assert "already" in pindna("holder", "add", "青灯文化", status=2).stderr
    assert "青灯文化" in pindna("holder", "show", "青灯文", status=2).stderr
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    given = ("--authorisation", "a.pdf", "--identity", "a.pdf")  # one file may prove several things
    changed = pindna("holder", "set", "青灯文化", *given, "--contact", "林\n晓岚", "--json")
    (shown,) = map(json.loads, pindna("holder", "list", "--json").stdout.splitlines())
    assert json.loads(changed.stdout) == shown
    assert shown["contact"] == "林 晓岚"
    assert [document["kind"] for document in shown["documents"]] == ["identity", "authorisation"]
    assert "no document called ffff" in pindna("holder", "set", "青灯文化", "--drop", "ffff", status=2).stderr
    pindna("holder", "set", "青灯文化", "--drop", shown["documents"][0]["sha256"][:8])
    assert json.loads(pindna("holder", "show", "青灯文化", "--json").stdout)["documents"] == []
    pindna("holder", "remove", "青灯文化", "--yes")
    assert "pindna holder add" in pindna("holder", "set", "青灯文化", "--phone", "0571", status=2).stderr
    assert pindna("holder", "list", "--json").stdout == ""
    assert (
        "not a mail address"
        in pindna("site", "contact", "set", "a.cn", "--email", "a\nb@c.cn", status=2).stderr
    )
    changed = pindna(
        "site", "contact", "set", "www.baidu.com", "--role", "search", "--name", "百度", "--json"
    )
    (contact,) = map(json.loads, pindna("site", "contact", "list", "--json").stdout.splitlines())
    assert json.loads(changed.stdout) == contact
    assert (contact["site"], contact["role"]) == ("baidu.com", "search")
    pindna("site", "contact", "remove", "baidu.com", "--role", "search")
    assert (
        "search:baidu.com"
        in pindna("site", "contact", "remove", "baidu.com", "--role", "search", status=2).stderr
    )


HOLDER = "青灯文化"


@pytest.fixture
def site_cases(stores, redis_client, settings):
    """Confirmed cases of two works of one holder on one site, and of a work of another holder."""
    corpus = stored_corpus(stores, redis_client)
    titles = [title for title in CHAPTERS if CHAPTERS[title]][:3]
    for title in titles:
        holder = "另一家" if title == titles[2] else HOLDER
        corpus.load(raw(ChapterSection("第一章", CHAPTERS[title][0]), title=title, holder=holder))
    corpus.index_all()
    pages = []
    for number, title in enumerate(titles):
        url = f"https://www.{SITE}/{number}/1.html"
        pages.append(
            Page(
                id=page_id(url, "1"),
                url=url,
                host=SITE,
                source="s",
                kind="chapter",
                title=title,
                text=CHAPTERS[title][0],
                content_hash=str(number),
                fetched=utc_now(),
            )
        )
    stores.pages.see_many(pages)
    with closing(open_runtime(settings)) as runtime:
        token, ids, _ = stores.pages.reserve_fetched(count=100, lease_s=60)
        token, taken = stores.pages.claim_many(ids, token=token, lease_s=60)
        for page in taken:
            assert compare_page(page, stores, runtime.corpus(), token=token, lease_s=60)
    refresh_cases(stores, [(number, "example.cn") for number in (1, 2, 3)])
    return {case.work_title: case for case in stores.cases.listed()}


def test_single_letter_for_a_site_moves_all_its_cases(
    pindna, environment, stores, *, site_cases, mail, tmp_path
):
    environment["PINDNA_CRAWLER__BROWSER_PATH"] = "/nowhere"  # no PDF can be printed
    environment["PINDNA_ANALYSIS__NOTICES__ADDRESSES_IN_LETTER"] = "1"
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.4 scan")
    pindna(
        "holder", "add", HOLDER, "--address", "杭州", "--contact", "林晓岚", "--phone", "0571",
        "--registration", "9133", "--email", "legal@qingdeng.example", "--title-proof", "scan.pdf",
    )  # fmt: skip
    pindna("site", "contact", "set", SITE, "--name", "某某网络", "--email", "notice@copy.example.cn")
    make = partial(pindna, "notice", "make", "--site", SITE)
    assert "No confirmed copy on example.cn" in make(status=2).stderr
    pindna("case", "confirm", *(case.name for case in site_cases.values()))
    assert f"several rights holders: {HOLDER}, 另一家" in make(status=2).stderr
    made = json.loads(make("--holder", HOLDER, "--json").stdout)
    own = [case for case in site_cases.values() if case.work_id != 3]
    assert sorted(case["name"] for case in made["cases"]) == sorted(case.name for case in own)
    assert made["notices"] == ["n1"]
    assert set(made["files"]) == {"docx", "txt", "eml", "evidence", "addresses"}
    letter = Path(made["files"]["txt"]["path"]).read_text(encoding="utf-8")
    assert all(f"《{case.work_title}》" in letter for case in own)
    assert made["files"]["addresses"]["sha256"] in letter
    with open_package(Path(made["files"]["evidence"]["path"])) as package:
        evident = {row["work_title"] for row in package.lines(layout.MATCHES)}
    assert evident == {case.work_title for case in own}

    pindna("notice", "send", "n1", "--yes", "n1")
    ((_, _, sent),) = mail[0].mails
    names = [name for piece in message_from_bytes(sent).walk() if (name := piece.get_filename())]
    assert len(names) == 4  # the letter, its addresses, the proof of title, the evidence
    moved = {case.work_title: stores.cases.get(case.name).state for case in site_cases.values()}
    assert sorted(moved.values()) == ["confirmed", "notified", "notified"]
    for case in own:
        kinds = [event.kind for event in stores.events.of_case(case.number) if event.subject == "n1"]
        assert kinds == ["notice-made", "notice-sent", "notified"]
    assert "Waiting cases" in make("--holder", HOLDER, status=2).stderr
    form = json.loads(pindna("notice", "form", "n1", "baidu", "--json").stdout)
    assert [Path(path).name for path in form["files"]] == ["baidu-n1.xlsx", "baidu-n1-urls-1.txt"]
    assert len((tmp_path / form["files"][1]).read_text().splitlines()) == len(own)
    pindna("notice", "reply", "n1", "accepted", "--because", "已全部删除")
    assert [stores.cases.get(case.name).state for case in own] == ["accepted", "accepted"]
