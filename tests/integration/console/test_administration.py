"""Accounts in the console: made, disabled, and what of it stands in the audit log."""

import pytest
from playwright.sync_api import expect
from support.console import PASSWORD, go

pytestmark = pytest.mark.services


def test_account_is_added_and_disabled_and_the_audit_log_records_it(console):
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
        row.get_by_role("button", name="Enable").click()
        expect(row).to_contain_text("Active")
        go(page, "/administration/accounts/cao")
        role = page.get_by_role("region", name="Role")
        role.get_by_label("Role").click()
        page.get_by_role("option", name="operator").click()
        role.get_by_role("button", name="Change the role").click()
        expect(page.get_by_text("Operator · Active")).to_be_visible()
        way = page.get_by_role("region", name="Restore access")
        way.get_by_label("New password").fill(PASSWORD + " and another")
        way.get_by_role("button", name="Reset").click()
        with page.expect_navigation():
            page.get_by_role("dialog").get_by_role("button", name="Reset").click()
        expect(page.get_by_text("No active sessions.")).to_be_visible()
        assert console.runtime.stores.accounts.get("cao").role == "operator"
        assert console.sign_in("cao", PASSWORD + " and another")
        go(page, "/administration/audit?subject=account+cao&since=2020-01-01")
        log = page.get_by_role("table", name="Audit log")
        expect(log).to_contain_text("Account added")
        expect(log).to_contain_text("Account changed")


def test_installation_is_examined_and_its_settings_and_log_are_shown(console):
    with console.page("/administration/doctor", "admin", language="en") as page:
        expect(page.get_by_role("table", name="Services")).to_contain_text("MongoDB")
        page.get_by_role("button", name="Run a check").click()
        found = page.get_by_role("table", name="Disk, browser and index")
        expect(found).to_contain_text("GB free", timeout=60_000)
        expect(found).to_contain_text("index")
        go(page, "/administration/settings")
        page.get_by_text("All settings in force").click()
        settings = page.get_by_role("region", name="[storage]")
        expect(settings).to_contain_text("mongo_url")
        password = console.runtime.settings.storage.mongo_url.get_secret_value().partition("@")[0]
        assert password.rpartition(":")[2] not in page.content()
        go(page, "/administration/evidence-log")
        expect(page.get_by_role("region", name="State")).to_contain_text("Waiting for the log")
