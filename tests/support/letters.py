"""The facts of a notice that lacks nothing, and a mail server that does as it is told."""

import hashlib
import socket
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from aiosmtpd.controller import Controller
from support.wrong_servers import free_port

from analysis.notices.facts import Enclosure, Infringement, NoticeFacts, NoticeSubject
from analysis.notices.mail import write_mail
from storage.records import (
    Addressee,
    Case,
    Holder,
    HolderDocument,
    Notice,
    NoticeCase,
    NoticeFile,
    Work,
    claim,
)
from storage.settings.results import NoticeSettings

NOW = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


def document(kind, name):
    return HolderDocument(
        kind=kind, name=name, sha256=hashlib.sha256(name.encode()).hexdigest(), bytes=9, added=NOW
    )


HOLDER = Holder(
    name="青灯文化",
    address="杭州市文三路 90 号",
    contact="林晓岚",
    position="法务经理",
    phone="0571-8888",
    email="legal@qingdeng.example",
    registration="9133",
    documents=(document("identity", "营业执照.pdf"), document("title", "登记证书.pdf")),
)
CASE = Case(
    id="1@copy.example",
    number=7,
    work_id=1,
    work_title="青灯渡",
    site="copy.example",
    verdict="copy",
    pages=1,
    passages=1,
    copied_chars=3120,
    first_seen=NOW,
    last_seen=NOW,
    state="confirmed",
)
WORK = Work(
    id=1,
    key="青灯渡",
    title="青灯渡",
    kind="novel",
    origin="o",
    author="沈舟",
    holder="青灯文化",
    published=claim(datetime(2023, 12, 4)),  # noqa: DTZ001 - a wall clock of the zone
)
PLACE = Infringement(
    url="https://www.copy.example/7/1.html",
    title="第一章 雨夜渡口",
    passages=("第一章 雨夜渡口",),
    copied_chars=3120,
    coverage=0.98,
    char_identity=0.97,
    first_seen=NOW,
    matches=("m1",),
)
EVIDENCE = Enclosure(number="PD-1", sha256="ab" * 32, bytes=100, file_name="PD-1.zip")
MAIL = write_mail(
    sender=(HOLDER.name, HOLDER.email),
    to=("某某网络", "notice@copy.example"),
    subject="侵权通知书",
    text="正文\n.\n",
    attachments=(),
    message_id="<n1.x@pindna.invalid>",
    made=NOW,
)
EARLIER = Notice(
    id="n1",
    number=1,
    cases=(NoticeCase(number=7, work_id=1, work_title="青灯渡"),),
    site="copy.example",
    kind="infringement",
    holder="青灯文化",
    addressee=Addressee(role="site", site="copy.example", name="某某网络"),
    subject="s",
    text="t",
    state="sent",
    sent=NOW,
    reply_due=NOW,
)


def facts_with(kind="infringement", **fields):
    """Return facts that lack nothing for a notice of any kind, with some of them, or of its work, changed."""
    subject = NoticeSubject(case=CASE, work=WORK, infringements=(PLACE,), earlier=EARLIER)
    of_work = {name: fields.pop(name) for name in ("work", "infringements", "earlier") if name in fields}
    whole = NoticeFacts(
        kind=kind,
        name="n3",
        made=NOW,
        subjects=(replace(subject, **of_work),),
        holder=HOLDER,
        addressee=Addressee(role="site", site="copy.example", name="某某网络", email="notice@copy.example"),
        reply_days=7,
        signer="Lin Xiaolan",
        evidence=EVIDENCE,
    )
    return replace(whole, **fields)


def place_at(url, match="m1", **fields):
    """Return an infringing address."""
    return replace(PLACE, url=url, matches=(match,), **fields)


def other_subject(number, **fields):
    """Return another work on the same site, with another page."""
    title = f"雾港来信 {number}"
    subject = NoticeSubject(
        case=replace(CASE, id=f"{number}@copy.example", number=number, work_id=number, work_title=title),
        work=replace(WORK, id=number, key=title, title=title),
        infringements=(place_at(f"https://www.copy.example/{number}/1.html", f"m{number}"),),
        earlier=EARLIER,
    )
    return replace(subject, **fields)


class Inbox:
    """Keeps the mails that came, and answers as it is told."""

    def __init__(self):
        self.mails, self.data_answer, self.rcpt_answer = [], "250 kept as 42", "250 OK"
        self.before_answer = None  # called when a whole mail is there, before it is answered

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802, ARG002
        if self.rcpt_answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.rcpt_answer

    async def handle_DATA(self, server, session, envelope):  # noqa: N802, ARG002
        self.mails.append((envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
        if self.before_answer is not None:
            self.before_answer()
        return self.data_answer


@contextmanager
def mail_server(**options):
    """Run a real SMTP server; yields its inbox and settings that lead to it."""
    inbox = Inbox()
    controller = Controller(inbox, hostname="127.0.0.1", port=0, **options)
    controller.port = free_port()
    controller.start()
    try:
        yield inbox, mail_settings(controller.port)
    finally:
        controller.stop()


def mail_settings(port, **fields):
    given = {
        "send": True,
        "sender": "legal@qingdeng.example",
        "smtp_host": "127.0.0.1",
        "smtp_port": port,
        "smtp_security": "none",
        "timeout_s": 5,
    }
    return NoticeSettings(**(given | fields))


@contextmanager
def scripted_server(*answers, after_data="drop"):
    """Run a server that gives one answer a line, then hangs or drops; yields its port.

    Args:
        answers: to the greeting and to each command in turn; after the last one the connection ends.
        after_data: once the data have come: ``drop`` the connection, ``hang``, or the answer to give.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve():
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            for answer in answers:
                connection.sendall(answer.encode() + b"\r\n")
                if answer.startswith("354"):
                    while lines.readline() not in (b".\r\n", b""):
                        pass
                    if after_data == "hang":
                        done.wait(20)
                    elif after_data != "drop":
                        connection.sendall(after_data.encode() + b"\r\n")
                        done.wait(20)
                    return
                if not lines.readline():
                    return
            if after_data == "hang":
                done.wait(20)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        done.set()
        listener.close()
        thread.join(5)


def notice_case(number, **fields):
    """Return a case in a notice."""
    return NoticeCase(**({"number": number, "work_id": 1, "work_title": "青灯渡"} | fields))


def stored_notice(stores, folder, mail, *, case=7, **fields):
    """Store a notice about a case, whose mail is a file, and return it."""
    path = folder / "n.eml"
    path.write_bytes(mail)
    number = stores.notices.new_number()
    file = NoticeFile(path=str(path), sha256=hashlib.sha256(mail).hexdigest(), bytes=len(mail))
    given = {
        "id": f"n{number}",
        "number": number,
        "cases": (notice_case(case),),
        "state": "made",
        "sent": None,
        "reply_due": None,
        "files": {"eml": file},
    }
    notice = replace(EARLIER, **(given | fields))
    stores.notices.add(notice)
    return stores.notices.get(notice.name)
