"""Notices are sent at most once, even after kills at any step, and their cases follow their states."""

import base64
import os
import shutil
import signal
import ssl
import subprocess
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from support.letters import (
    CASE,
    HOLDER,
    MAIL,
    NOW,
    mail_server,
    mail_settings,
    scripted_server,
    stored_notice,
)
from support.matches import match_with
from support.receivers import endless_server

from analysis.cases.moves import move
from analysis.console import background
from analysis.notices import case_events, sending, smtp
from analysis.notices.infringements import confirmed_matches
from analysis.notices.replies import NothingToAnswer, answer, last_sent, record_silence
from analysis.notices.sending import (
    CannotResolve,
    CannotSend,
    DraftNotSent,
    MailChanged,
    NotConfirmed,
    SendingOff,
    ready_mail,
    resolve,
    send_notice,
    settle_interrupted,
)
from analysis.notices.smtp import (
    BadAuthorities,
    LoginNotAscii,
    MailNotSent,
    MailUncertain,
    NoMailServer,
    PasswordInClear,
)
from storage.collections.stores import open_stores
from storage.records import utc_now
from system.secrets import MissingSecret
from tracker.runtime import Runtime

LATER = NOW + timedelta(days=30)
DIALOGUE = ("220 hi", "250 hi", "250 sender", "250 rcpt", "354 go")


@pytest.fixture
def case(stores):
    """A confirmed case."""
    return move(
        stores.cases.save(replace(CASE, state="new", number=0)), stores, to="confirmed", by="林", at=NOW
    )


@pytest.fixture
def notice(stores, case, tmp_path):
    return stored_notice(stores, tmp_path, MAIL, case=case.number)


@pytest.fixture
def post(stores, notice):
    """Send the notice with these settings."""

    def send(settings, which=notice):
        current = stores.notices.get(which.name)
        mail = ready_mail(current, stores, settings)
        return send_notice(current, mail, stores, settings, by="林", now=NOW)

    return send


def state_of(stores, notice):
    return stores.notices.get(notice.name).state


def test_notice_lists_no_retelling_even_if_it_is_confirmed(stores, case):
    matches = [
        match_with(
            id=verdict, page_id="p", passage_id=number, site=case.site, verdict=verdict, review="confirmed"
        )
        for number, verdict in enumerate(("copy", "reworded", "partial"), 1)
    ]
    stores.matches.replace_for_pages({"p": matches})
    assert {match.verdict for match in confirmed_matches(case, stores)} == {"copy", "partial"}


def test_notice_is_sent_unchanged_and_recorded_in_its_case(stores, case, post):
    with mail_server() as (inbox, settings):
        sent = post(settings)
        ((sender, to, content),) = inbox.mails
    assert (sender, to) == (HOLDER.email, ["notice@copy.example"])
    assert content == MAIL
    assert (sent.state, sent.receipt, sent.is_told) == ("sent", "250 kept as 42", True)
    assert sent.reply_due == NOW + timedelta(days=7)
    assert stores.cases.get(case.name).state == "notified"
    with pytest.raises(CannotSend):
        post(settings)


@pytest.mark.parametrize(
    ("answers", "after_data", "kind", "state"),
    [
        (("554 go away",), "drop", MailNotSent, "failed"),
        ((*DIALOGUE[:3], "550 unknown"), "drop", MailNotSent, "failed"),
        (DIALOGUE[:2], "drop", MailNotSent, "failed"),
        ((*DIALOGUE[:4], "451 later"), "drop", MailNotSent, "failed"),
        (("220 hi",), "hang", MailNotSent, "failed"),
        (DIALOGUE, "550 spam", MailNotSent, "failed"),
        (DIALOGUE, "drop", MailUncertain, "uncertain"),
        (DIALOGUE, "hang", MailUncertain, "uncertain"),
        (DIALOGUE, "what", MailUncertain, "uncertain"),
    ],
)
def test_missing_answer_of_a_mail_server_is_uncertain(
    stores, case, notice, post, *, answers, after_data, kind, state
):
    with scripted_server(*answers, after_data=after_data) as port, pytest.raises(kind) as caught:
        post(mail_settings(port, timeout_s=3))
    assert "\n" not in str(caught.value)
    assert state_of(stores, notice) == state
    assert stores.cases.get(case.name).state == "confirmed"


def test_refused_connection_is_a_certain_failure(stores, notice, post):
    with pytest.raises(MailNotSent):
        post(mail_settings(1))
    assert state_of(stores, notice) == "failed"


@pytest.mark.parametrize("again", [b"2", b"220-" + b"x" * 4000 + b"\r\n"], ids=["a long line", "many lines"])
@pytest.mark.parametrize("begin", [b"", b"220 hi\r\n"], ids=["greeting", "answer"])
def test_endless_answer_of_a_mail_server_is_cut_off(post, monkeypatch, begin, again):
    monkeypatch.setattr(smtp, "STEPS", 0.3)
    with endless_server(begin, again) as port, pytest.raises(MailNotSent):
        post(mail_settings(port, timeout_s=1))


def test_refused_notice_may_be_sent_again_by_a_person(stores, notice, post):
    with mail_server() as (inbox, settings):
        inbox.data_answer = "552 too much"
        with pytest.raises(MailNotSent):
            post(settings)
        inbox.data_answer = "250 OK"
        assert post(settings).state == "sent"
    kinds = [event.kind for event in stores.events.of_case(notice.cases[0].number)]
    assert kinds[1:] == ["notice-made", "notice-failed", "notice-sent", "notified"]


def killed(settings, notice, step, children):
    """Send a notice in a separate process that is killed at a step; returns whether it was killed."""
    child = os.fork()
    if child:
        children.append(child)
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status)
    try:
        stores = open_stores(settings.storage)

        def die(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)

        rules = settings.analysis.notices
        deliver = sending.deliver
        if step == "claimed":
            sending.deliver = die
        elif step == "taken":
            sending.deliver = lambda *args, **options: (deliver(*args, **options), die())
        elif step == "stored":
            sending.record_sent = die
        elif step == "noted":
            case_events.move_cases = die
        elif step == "moved":
            stores.notices.mark_reported = die
        current = stores.notices.get(notice.name)
        send_notice(current, MAIL, stores, rules, by="林", now=NOW)
    finally:
        os._exit(0)


@pytest.mark.parametrize("step", ["claimed", "data", "taken", "stored", "noted", "moved"])
def test_kill_9_at_any_step_sends_at_most_once_and_loses_nothing(stores, settings, case, notice, *, step):
    children = []
    with mail_server() as (inbox, rules):
        own = settings.model_copy(
            update={"analysis": settings.analysis.model_copy(update={"notices": rules})}
        )
        if step == "data":  # the whole mail is there, and the sender dies before the answer
            inbox.before_answer = lambda: os.kill(children[0], signal.SIGKILL)
        assert killed(own, notice, step, children)
        mails = len(inbox.mails)
        assert mails == (0 if step == "claimed" else 1)
        is_stored = step in ("stored", "noted", "moved")
        assert state_of(stores, notice) == ("sent" if is_stored else "sending")
        with pytest.raises(CannotSend):  # no other process sends it at this time
            ready_mail(stores.notices.get(notice.name), stores, rules)
        assert settle_interrupted(stores, now=NOW) == 0  # its time is not up
        assert settle_interrupted(stores, now=LATER) == (0 if is_stored else 1)
        assert settle_interrupted(stores, now=LATER) == 0
        assert state_of(stores, notice) == ("sent" if is_stored else "uncertain")
        with pytest.raises(CannotSend):  # and never again by itself
            ready_mail(stores.notices.get(notice.name), stores, rules)
        assert len(inbox.mails) == mails
    told = [event.subject for event in stores.events.of_case(case.number) if event.kind == "notified"]
    assert told == ([notice.name] if is_stored else [])
    assert stores.cases.get(case.name).state == ("notified" if is_stored else "confirmed")


def test_console_lets_a_person_decide_where_no_beat_runs(stores, notice, settings, redis_client):
    now = utc_now()
    own = {"token": "t", "sending": now, "sent_by": "林"}
    installation = SimpleNamespace(runtime=Runtime(settings, stores, redis_client), stores=stores)
    for left_s, state in ((60, "sending"), (-1, "uncertain")):
        fields = {**own, "sending_until": now + timedelta(seconds=left_s)}
        assert stores.notices.advance(notice, "sending", fields, since=("made", "sending"))
        background._run_background_tasks(installation)
        assert state_of(stores, notice) == state


@pytest.fixture
def uncertain(stores, notice, post):
    with scripted_server(*DIALOGUE) as port, pytest.raises(MailUncertain):
        post(mail_settings(port))
    return stores.notices.get(notice.name)


@pytest.mark.parametrize(
    ("resolution", "state", "case_state"), [("sent", "sent", "notified"), ("not-sent", "failed", "confirmed")]
)
def test_analyst_resolves_an_uncertain_notice(stores, case, uncertain, *, resolution, state, case_state):
    rules = mail_settings(1)
    done = resolve(uncertain, resolution, stores, rules, by="林", reason="问过对方", now=LATER)
    assert (done.state, done.because) == (state, "问过对方")
    assert stores.cases.get(case.name).state == case_state
    if state == "sent":
        assert done.sent == NOW
        with pytest.raises(CannotResolve):
            resolve(done, "not-sent", stores, rules, by="林", reason="", now=LATER)


def test_letter_that_was_posted_counts_as_sent(stores, case, notice):
    done = resolve(notice, "sent", stores, mail_settings(1), by="林", reason="挂号信", now=NOW)
    assert (done.state, done.sent) == ("sent", NOW)
    assert stores.cases.get(case.name).state == "notified"


def test_forbidden_notices_are_not_sent(stores, notice, case, tmp_path, monkeypatch):
    rules = mail_settings(1)
    for wrong, error in (
        ({"send": False}, SendingOff),
        ({"smtp_host": ""}, NoMailServer),
        ({"smtp_user": "u", "smtp_host": "mail.example"}, PasswordInClear),
        ({"smtp_user": "u", "smtp_security": "tls"}, MissingSecret),
    ):
        monkeypatch.delenv("PINDNA_SECRET_SMTP_PASSWORD", raising=False)
        with pytest.raises(error):
            ready_mail(notice, stores, rules.model_copy(update=wrong))
    with pytest.raises(DraftNotSent):
        ready_mail(replace(notice, is_draft=True), stores, rules)
    (tmp_path / "n.eml").write_bytes(MAIL + b"x")
    with pytest.raises(MailChanged):
        ready_mail(notice, stores, rules)
    (tmp_path / "n.eml").write_bytes(MAIL)
    move(stores.cases.get(case.name), stores, to="dismissed", by="林", at=NOW)
    with pytest.raises(NotConfirmed):
        ready_mail(notice, stores, rules)


def test_notice_is_sent_only_once(stores, notice):
    with mail_server() as (inbox, settings):
        mail = ready_mail(notice, stores, settings)
        send_notice(notice, mail, stores, settings, by="林", now=NOW)
        with pytest.raises(CannotSend):
            send_notice(notice, mail, stores, settings, by="周", now=NOW)
        assert len(inbox.mails) == 1


@pytest.fixture
def tls_context(tmp_path):
    """What a mail server shows its certificate with, which lies in ``cert.pem``."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        [shutil.which("openssl") or "", "req", "-x509", "-nodes",
         "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-keyout", key, "-out", certificate, "-days", "30", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def test_mail_is_sent_through_starttls_with_a_login(post, tls_context, tmp_path, monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_SMTP_PASSWORD", "wrong-word")
    logins = []

    def check(server, session, envelope, mechanism, data):  # noqa: ARG001 - as aiosmtpd calls it
        from aiosmtpd.smtp import AuthResult  # noqa: PLC0415

        logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"right-word")

    options = {
        "tls_context": tls_context,
        "require_starttls": True,
        "authenticator": check,
        "auth_required": True,
    }
    with mail_server(**options) as (inbox, settings):
        secure = settings.model_copy(
            update={"smtp_security": "starttls", "smtp_ca_file": tmp_path / "cert.pem", "smtp_user": "me"}
        )
        with pytest.raises(MailNotSent) as caught:
            post(secure)
        assert "wrong-word" not in str(caught.value)
        monkeypatch.setenv("PINDNA_SECRET_SMTP_PASSWORD", "right-word")
        with pytest.raises(MailNotSent, match="certificate"):  # of an authority that nobody named
            post(secure.model_copy(update={"smtp_ca_file": None}))
        assert post(secure).state == "sent"
        assert (b"me", b"right-word") in logins
        assert len(inbox.mails) == 1


def test_mail_is_sent_through_implicit_tls(post, tls_context, tmp_path):
    with mail_server(ssl_context=tls_context) as (inbox, settings):
        post(settings.model_copy(update={"smtp_security": "tls", "smtp_ca_file": tmp_path / "cert.pem"}))
        assert len(inbox.mails) == 1


@pytest.mark.parametrize("form", ["\0me\0right-word", "right-word"])
def test_password_repeated_by_a_server_is_not_shown(post, monkeypatch, stores, notice, form):
    monkeypatch.setenv("PINDNA_SECRET_SMTP_PASSWORD", "right-word")
    sent = base64.b64encode(form.encode()).decode()
    dialogue = ("220 hi", "250-x\r\n250 AUTH PLAIN", f"500 what is {sent}")
    with scripted_server(*dialogue) as port, pytest.raises(MailNotSent) as caught:
        post(mail_settings(port, smtp_user="me"))
    assert "what is •••" in str(caught.value)
    assert sent not in stores.notices.get(notice.name).problem


def test_impossible_mail_settings_are_reported_before_sending(post, notice, stores, monkeypatch, tmp_path):
    settings = mail_settings(1, smtp_security="tls", smtp_user="me")
    monkeypatch.setenv("PINDNA_SECRET_SMTP_PASSWORD", "密码right-word")
    with pytest.raises(LoginNotAscii) as caught:
        post(settings)
    assert "right-word" not in str(caught.value)
    with pytest.raises(BadAuthorities, match=r"none\.pem.*No such file"):
        post(settings.model_copy(update={"smtp_ca_file": tmp_path / "none.pem"}))
    (tmp_path / "no.pem").write_text("no certificate")
    with pytest.raises(BadAuthorities, match="it contains no certificate"):
        post(settings.model_copy(update={"smtp_ca_file": tmp_path / "no.pem"}))
    assert state_of(stores, notice) == "made"


def test_reply_moves_the_case_once(stores, case, post):
    with mail_server() as (_, settings):
        sent = post(settings)
    assert last_sent(case.number, stores) == sent
    done = answer(sent, "accepted", stores, by="林", reason="已删除", at=LATER)
    assert (done.state, done.outcome, done.reply) == ("answered", "accepted", "已删除")
    assert stores.cases.get(case.name).state == "accepted"
    assert last_sent(case.number, stores) is None
    with pytest.raises(NothingToAnswer):
        answer(done, "refused", stores, by="林", reason="", at=LATER)
    assert record_silence(stores, now=LATER) == 0


def test_silence_moves_the_case_when_the_last_notice_is_overdue(stores, case, notice, post, tmp_path):
    other = stored_notice(stores, tmp_path, MAIL, case=case.number)
    with mail_server() as (_, settings):
        post(settings)
        post(settings.model_copy(update={"reply_days": 20}), other)
    assert record_silence(stores, now=NOW + timedelta(days=6)) == 0
    assert record_silence(stores, now=NOW + timedelta(days=8)) == 1
    assert (state_of(stores, notice), stores.cases.get(case.name).state) == ("unanswered", "notified")
    assert record_silence(stores, now=NOW + timedelta(days=21)) == 1
    assert stores.cases.get(case.name).state == "unanswered"
    assert record_silence(stores, now=LATER) == 0
    late = answer(stores.notices.get(notice.name), "refused", stores, by="林", reason="", at=LATER)
    assert (late.state, stores.cases.get(case.name).state) == ("answered", "refused")
