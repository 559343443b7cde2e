"""Accounts in the console: made, disabled, and what of it stands in the audit log."""

import pytest
from playwright.sync_api import expect
from support.console import PASSWORD, go

pytestmark = pytest.mark.services


def test_an_account_is_made_and_disabled_and_the_log_tells_of_it(console):
    with console.page("/administration", "admin", language="en") as page:
        form = page.get_by_role("region", name="New account")
        form.get_by_label("Name").fill("cao")
        form.get_by_label("Password").fill(PASSWORD)
        form.get_by_role("button", name="Add the account").click()
        row = page.get_by_role("table", name="Accounts").get_by_role("row").filter(has_text="cao")
        expect(row).to_contain_text("Active")
        assert console.sign_in("cao")
        row.get_by_role("button", name="Disable").click()
        page.get_by_role("dialog").get_by_role("button", name="Disable").click()
        expect(row).to_contain_text("Disabled")
        go(page, "/administration/audit?subject=account+cao")
        log = page.get_by_role("table", name="Audit log")
        expect(log).to_contain_text("Account added")
        expect(log).to_contain_text("Account changed")
    assert console.runtime.stores.accounts.get("cao").disabled is not None
