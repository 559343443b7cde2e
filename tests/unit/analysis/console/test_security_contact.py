"""security.txt: its fields, who may read it, and which contacts the settings accept."""

from datetime import datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from analysis.console.gate import _is_open
from analysis.console.security_contact import PATH, security_routes, security_text
from storage.settings.results import ServerSettings

CONTACT = "mailto:security@pindna.example"


def test_security_text_has_the_fields_of_the_rfc():
    settings = ServerSettings(security_contact=CONTACT, public_url="https://pindna.example/")
    now = datetime(2026, 3, 1, 2, 0, tzinfo=timezone(timedelta(hours=8)))  # February in UTC
    assert security_text(settings, now).splitlines() == [
        f"Contact: {CONTACT}",
        "Expires: 2026-05-29T00:00:00Z",
        "Preferred-Languages: zh, en",
        f"Canonical: https://pindna.example{PATH}",
    ]


@pytest.mark.parametrize(("contact", "status"), [(CONTACT, 200), ("", 404)])
def test_security_text_is_open_and_served_only_where_configured(contact, status):
    (route,) = security_routes(ServerSettings(security_contact=contact)).routes
    answer = route.endpoint()
    assert (route.path, answer.status_code, _is_open(PATH)) == (PATH, status, True)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert (b"Canonical" in answer.body, b"Contact" in answer.body) == (False, bool(contact))


@pytest.mark.parametrize("contact", ["https://pindna.example/report", "tel:+86-10-5555"])
def test_addresses_are_contacts(contact):
    assert ServerSettings(security_contact=contact).security_contact == contact


@pytest.mark.parametrize(
    "contact", ["security@pindna.example", "http://a.example", "mailto:a@b\nHiring: x", "mailto:x", "ftp://a"]
)
def test_other_texts_are_refused_as_contact(contact):
    with pytest.raises(ValidationError, match="mailto:"):
        ServerSettings(security_contact=contact)
