"""Letters: all that the law asks for is in them, what is missing is named, and nothing foreign is markup."""

import io
import re
from dataclasses import replace
from email import message_from_bytes, policy
from typing import get_args

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.letters import EARLIER, EVIDENCE, HOLDER, NOW, PLACE, WORK, document, facts_with

from analysis.notices.documents import BadTemplate, write_letter
from analysis.notices.facts import FACTS, REQUIRED, missing_facts
from analysis.notices.gathering import earlier_notice
from analysis.notices.mail import Attachment, envelope_of, write_mail
from analysis.notices.word_file import word_file
from storage.records import Addressee, Holder, NoticeKind

KINDS = get_args(NoticeKind)
NOBODY = Addressee(role="site", site="copy.example")
WITHOUT = {
    "addressee-name": {"addressee": NOBODY},
    "authorisation": {"work": replace(WORK, holder="另一家")},
    "contact": {"holder": replace(HOLDER, contact="")},
    "earlier-notice": {"earlier": None},
    "email": {"holder": replace(HOLDER, email="")},
    "evidence": {"evidence": None},
    "holder-address": {"holder": replace(HOLDER, address="")},
    "identity": {"holder": replace(HOLDER, registration="", documents=HOLDER.documents[1:])},
    "infringements": {"infringements": ()},
    "phone": {"holder": replace(HOLDER, phone="")},
    "signature": {"signer": ""},
    "title": {"holder": replace(HOLDER, documents=HOLDER.documents[:1])},
}


def letter_of(facts, **options):
    return write_letter(facts, timezone="Asia/Shanghai", **options)


@pytest.mark.parametrize("kind", KINDS)
def test_complete_facts_lack_nothing(kind):
    assert missing_facts(facts_with(kind)) == ()


@pytest.mark.parametrize(("kind", "code"), [(kind, code) for kind in KINDS for code in REQUIRED[kind]])
def test_missing_fact_is_named_refused_and_marked_in_a_draft(kind, code):
    facts = facts_with(kind, **WITHOUT[code])
    assert missing_facts(facts) == (code,)
    with pytest.raises(ValueError, match=code):
        letter_of(facts)
    marked = re.findall(r"【待补：(.+?)】|\[MISSING: (.+?)\]", letter_of(facts, is_draft=True).text())
    assert len(marked) >= 1


OUTSIDE = {"infringement": "正文以外的文本", "dmca": "source text outside its article"}
SHARE = {"infringement": "占该页面正文的", "dmca": "of the page’s text"}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_letter_claims_no_visibility_for_text_outside_the_article(kind):
    hidden = replace(PLACE, outside_chars=PLACE.copied_chars, coverage=0.0)
    text = letter_of(facts_with(kind, infringements=(hidden,))).text()
    assert OUTSIDE[kind] in text
    assert SHARE[kind] not in text
    assert "页面的正文已与" not in text


@pytest.mark.parametrize("kind", OUTSIDE)
def test_letter_separates_text_in_the_article_from_text_outside(kind):
    text = letter_of(facts_with(kind, infringements=(replace(PLACE, outside_chars=120),))).text()
    assert OUTSIDE[kind] in text
    assert SHARE[kind] in text
    assert "120" in text
    assert OUTSIDE[kind] not in letter_of(facts_with(kind)).text()


def test_every_fact_has_a_name_and_every_name_is_required():
    assert {code for codes in REQUIRED.values() for code in codes} == set(FACTS) - {"addressee-email"}


def test_notice_contains_the_facts_that_the_law_requires():
    text = letter_of(facts_with()).text()
    for needed in (
        "青灯文化", "杭州市文三路 90 号", "0571-8888", "林晓岚", "9133",  # who, and how to reach them
        "《青灯渡》", "登记证书.pdf", "2023年12月4日",  # the work and the proof of title
        "<https://www.copy.example/7/1.html>", "3,120", "98.0%",  # where, and what shows it
        "PD-1", EVIDENCE.sha256,
        "第一千一百九十五条", "《信息网络传播权保护条例》第十四条", "真实性负责", "2026年11月22日",
    ):  # fmt: skip
        assert needed in text


def test_file_that_proves_several_facts_is_attached_once():
    both = [replace(proof, sha256="a" * 64, name="证照.pdf") for proof in HOLDER.documents]
    facts = facts_with(holder=replace(HOLDER, documents=tuple(both)))
    assert facts.identities
    assert facts.titles
    assert [document.name for document in facts.documents] == ["证照.pdf"]


def test_reminder_is_about_the_last_notice_to_the_same_addressee():
    provider = Addressee(role="host", site="copy.example", name="某某云")
    host = replace(EARLIER, id="n2", kind="dmca", addressee=provider)
    unsent = replace(EARLIER, id="n3", sent=None)
    site = facts_with().addressee
    assert earlier_notice([unsent, host, EARLIER], "reminder", site) == EARLIER
    assert earlier_notice([host], "reminder", site) is None
    assert earlier_notice([host, EARLIER], "counsel", site) == host
    letter = letter_of(facts_with("reminder", addressee=provider, earlier=host)).text()
    assert "贵方发出《Notice of Claimed Infringement》（编号：n1）" in letter


def test_dmca_notice_holds_its_six_elements():
    text = letter_of(facts_with("dmca")).text()
    for needed in (
        "/s/ Lin Xiaolan", "“青灯渡”", "<https://www.copy.example/7/1.html>", "0571-8888",
        "legal@qingdeng.example", "good faith belief", "under penalty of perjury",
    ):  # fmt: skip
        assert needed in text


@pytest.mark.parametrize(
    ("role", "words"), [("site", "停止侵权，并不再"), ("host", "贵方提供网络服务"), ("search", "网页快照")]
)
def test_notice_requests_from_every_addressee_a_possible_action(role, words):
    addressee = Addressee(role=role, site="copy.example", name="某某")
    texts = {
        recipient: letter_of(facts_with(addressee=replace(addressee, role=recipient))).text()
        for recipient in ("site", "host", "search")
    }
    assert [recipient for recipient in texts if words in texts[recipient]] == [role]


HOSTILE = "<script>alert(1)</script>{{ 7*7 }}</li><h1>"


@given(title=st.text(max_size=80), kind=st.sampled_from(KINDS))
@settings(max_examples=20)
def test_hostile_title_is_text(kind, title):
    letter = letter_of(facts_with(kind, infringements=(replace(PLACE, title=HOSTILE + title),)))
    assert "<script>" not in letter.html
    assert HOSTILE in letter.text()
    assert sum(block.shape == "h1" for block in letter.blocks) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_word_file_holds_the_whole_letter(kind):
    letter = letter_of(facts_with(kind, infringements=(replace(PLACE, title=HOSTILE),)))
    word = docx.Document(io.BytesIO(word_file(letter, made=NOW, author="a", footer="f")))
    paragraphs = "".join(paragraph.text for paragraph in word.paragraphs)
    assert all(run.text in paragraphs for block in letter.blocks for line in block.lines for run in line)
    assert not word.part.package.main_document_part.rels or "hyperlink" not in {
        rel.reltype.rpartition("/")[2] for rel in word.part.rels.values()
    }


def test_documents_of_another_work_are_omitted():
    other = replace(document("title", "别的书.pdf"), work_id=99)
    facts = facts_with(holder=replace(HOLDER, documents=(*HOLDER.documents, other)))
    assert "别的书" not in letter_of(facts).text()


def test_custom_template_replaces_the_built_in_template(tmp_path):
    template = tmp_path / "infringement.zh.html"
    template.write_text("<body><h1>函</h1><p>{{ facts.holder.name }}：{{ facts.work.title }}</p></body>")
    assert letter_of(facts_with(), own_templates=tmp_path).text() == "函\n\n青灯文化：青灯渡\n"


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "<!-- -->",
        "<p>no heading</p>",
        "{% if %}",
        "{{ facts.nothing }}",
        "{{ facts.__class__.__mro__ }}",
        "{{ facts|attr('__class__') }}",
        "{{ 5|day }}",
        "{{ 1 / 0 }}",
        "{{ '%99999999999999d' % 1 }}",
        "{% include '../../secret' %}",
        "{% include 'infringement.zh.html' %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for n in range(99999) %}{{ 'x' * 9999 }}{% endfor %}",
    ],
)
def test_bad_template_is_refused_in_a_single_line(bad, tmp_path):
    (tmp_path / "infringement.zh.html").write_text(bad)
    with pytest.raises(BadTemplate) as refused:
        letter_of(facts_with(), own_templates=tmp_path)
    assert "\n" not in str(refused.value)


def mail_with(**fields):
    mail_fields = {
        "sender": (HOLDER.name, HOLDER.email),
        "to": ("某某网络", "notice@copy.example"),
        "subject": "侵权通知书",
        "text": "正文 <https://www.copy.example/>\n",
        "attachments": (),
        "message_id": "<n3.x@pindna.invalid>",
        "made": NOW,
    }
    return write_mail(**(mail_fields | fields))


@given(st.text(max_size=60), st.text(max_size=60))
def test_header_text_cannot_begin_another_header(name, subject):
    mail = mail_with(
        to=(name + "\r\nBcc: x@y.example", "notice@copy.example"),
        subject=subject + "\r\nBcc: x@y.example",
        attachments=[Attachment(name + '"\r\nX: y.pdf', b"%PDF", "application/pdf")],
    )
    message = message_from_bytes(mail, policy=policy.SMTP)
    assert set(message.keys()) <= {
        "From",
        "To",
        "Subject",
        "Date",
        "Message-ID",
        "MIME-Version",
        "Content-Type",
    }
    assert envelope_of(mail, name="n3") == (HOLDER.email, "notice@copy.example")
    assert mail.isascii()
    assert max(map(len, mail.split(b"\r\n"))) < 998


def test_mail_is_a_plain_text_with_attachments():
    mail = mail_with(attachments=[Attachment("证据.zip", b"PK", "application/zip")])
    message = message_from_bytes(mail, policy=policy.SMTP)
    kinds = [(section.get_content_type(), section.get_filename()) for section in message.walk()]
    assert kinds == [("multipart/mixed", None), ("text/plain", None), ("application/zip", "证据.zip")]
    assert "正文" in message.get_body().get_content()


def test_empty_holder_lacks_every_holder_fact():
    facts = facts_with(holder=Holder(name="青灯文化"), addressee=NOBODY)
    assert missing_facts(facts) == (
        "addressee-name",
        "holder-address",
        "contact",
        "phone",
        "identity",
        "title",
    )
