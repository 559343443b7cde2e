"""A program that sends every notice that a person confirmed; it ends when none is left.

Usage: ``sender.py PORT``, that of the mail server.
"""

import sys
import time

from analysis.notices.sending import ready_mail, send_notice
from storage.collections.stores import Stores, open_stores
from storage.records import utc_now
from storage.settings import load_settings
from storage.settings.results import NoticeSettings
from system.errors import PindnaError

_PAUSE_S = 0.1


def _send_all(stores: Stores, rules: NoticeSettings) -> bool:
    """Send what may be sent; returns whether nothing more may."""
    notices = [notice for notice in stores.notices.listed() if notice.state in {"made", "failed"}]
    for notice in notices:
        current = stores.notices.get(notice.name)
        mail = ready_mail(current, stores, rules)
        send_notice(current, mail, stores, rules, by="林", now=utc_now())
    return not notices


def main() -> None:
    """Go on through whatever fails."""
    stores = open_stores(load_settings().storage)
    rules = NoticeSettings(
        send=True,
        sender="legal@qingdeng.example",
        smtp_host="127.0.0.1",
        smtp_port=int(sys.argv[1]),
        smtp_security="none",
        timeout_s=5,
    )
    while True:
        try:
            if _send_all(stores, rules):
                return
        except PindnaError as error:
            print(f"{type(error).__name__}: {error}", flush=True)  # noqa: T201 - its log
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main()
