"""The page of settings: changed, tried and conflicting settings, and secrets that are never shown again."""

import pytest
from playwright.sync_api import expect
from support.console import go
from support.letters import mail_server

from analysis.accounts.permissions import identity_of
from analysis.actions.settings import save_settings
from storage.records import Account

pytestmark = pytest.mark.services
PATH = "/administration/settings"
SECOND = identity_of(Account(name="bo", role="administrator"))


def region(page, name):
    return page.get_by_role("region", name=name, exact=True)


def test_administrator_sets_mail_and_alerts_without_a_terminal(console):
    with mail_server() as (inbox, server), console.page(PATH, "admin") as page:
        mail = region(page, "邮件")
        mail.get_by_label("邮件服务器", exact=True).fill(server.smtp_host)
        mail.get_by_label("邮件服务器端口").fill("99999")
        mail.get_by_role("button", name="保存：邮件").click()
        expect(mail.get_by_role("alert")).to_contain_text("65535")
        mail.get_by_label("邮件服务器端口").fill(str(server.smtp_port))
        mail.get_by_label("与邮件服务器之间的加密").click()
        page.get_by_role("option", name="不加密").click()
        mail.get_by_role("button", name="保存：邮件").click()
        expect(mail.get_by_text("admin 于").first).to_be_visible()
        mail.get_by_label("测试邮件的收件地址").fill("lin@publisher.example")
        mail.get_by_role("button", name="发送测试邮件").click()
        expect(mail.get_by_role("status")).to_contain_text("kept as 42")
        assert inbox.mails[0][1] == ["lin@publisher.example"]
        alerts = region(page, "提醒")
        alerts.get_by_role("button", name="添加：接收方").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("名称").fill("法务")
        dialog.get_by_label("消息服务的地址").fill("wecombot://t0p-s3cret")
        dialog.get_by_role("button", name="保存").click()
        expect(alerts.get_by_role("list", name="接收方")).to_contain_text("法务")
        alerts.get_by_role("button", name="添加：规则").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("接收方或接收组").click()
        page.get_by_role("option", name="法务").click()
        page.keyboard.press("Escape")
        dialog.get_by_role("button", name="保存").click()
        expect(alerts.get_by_role("list", name="规则")).to_contain_text("法务")
        page.reload()
        expect(alerts.get_by_role("list", name="接收方")).to_contain_text("已保存")
        assert "t0p-s3cret" not in page.content()
        console.runtime.live_settings.follow(max_age_s=0)
        assert list(console.runtime.settings.analysis.alerts.addressees) == ["法务"]
    assert console.problems == []


def test_second_administrator_sees_the_conflict_and_keeps_the_input(console):
    with console.page(PATH, "admin") as page:
        scans = region(page, "每日扫描")
        field = scans.get_by_role("textbox", name="每日扫描时间")
        save_settings(SECOND, console.runtime, {"tracker.scan_schedule": "05:00"})
        field.fill("04:30")
        scans.get_by_role("button", name="保存：每日扫描").click()
        expect(page.get_by_text("bo 刚刚修改了 每日扫描时间")).to_be_visible()
        expect(field).to_have_value("04:30")
        go(page, PATH)
        expect(field).to_have_value("05:00")


def test_secret_is_entered_and_never_shown(console):
    with console.page(PATH, "admin") as page:
        secrets = region(page, "密钥")
        secrets.get_by_role("button", name="添加密钥").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("名称").fill("PINDNA_SECRET_BRAVE")
        dialog.get_by_label("值").fill("k3y-of-the-engine")
        dialog.get_by_role("button", name="保存").click()
        row = secrets.get_by_role("row").filter(has_text="PINDNA_SECRET_BRAVE")
        expect(row).to_contain_text("已保存")
        assert "k3y-of-the-engine" not in page.content()
    with console.page(PATH, "op") as page:
        expect(page.get_by_text("只有管理员可以修改设置。")).to_be_visible()
        expect(page.get_by_role("button", name="保存：邮件")).to_have_count(0)
