"""Services as they answer: robots that refuse in the body of a good answer, and the library's own checks."""

import json

import pytest
from apprise.plugins.dingtalk import NotifyDingTalk
from apprise.plugins.feishu import NotifyFeishu
from apprise.plugins.wecombot import NotifyWeComBot
from support.receivers import http_receiver

from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.services import send, service_of
from analysis.alerts.wording import AlertText

TEXT = AlertText("pindna：新副本", "青灯渡 · example.cn")
KEY = "abcd1234-abcd-1234-abcd-1234567890ab"
OK = b'{"errcode":0,"errmsg":"ok"}'
ROBOTS = {
    "dingtalk": (
        NotifyDingTalk,
        f"dingtalk://SECabcdef@{'a' * 64}/13800138000",
        b'{"errcode":0,"errmsg":"ok"}',
    ),
    "wecom": (NotifyWeComBot, f"wecombot://{KEY}", b'{"errcode":0,"errmsg":"ok"}'),
    "feishu": (NotifyFeishu, f"feishu://{KEY}", b'{"code":0,"msg":"success"}'),
}


@pytest.fixture
def receiver():
    with http_receiver() as running:
        running.status = 200
        yield running


@pytest.fixture(params=ROBOTS)
def robot(request, receiver, monkeypatch):
    """An address of a robot that the receiver stands for, and what it answers when it takes a message."""
    plugin, address, taken = ROBOTS[request.param]
    monkeypatch.setattr(plugin, "notify_url", plugin.notify_url.replace("https://", f"{receiver.url}/"))
    return address, taken


def test_robot_gets_plain_text_and_mentions_no_user(robot, receiver):
    address, receiver.body = robot
    assert " 0" in send(service_of(address), address, TEXT, "id")
    (posted,) = receiver.requests
    sent = json.loads(posted.body)
    assert sent.get("msgtype", sent.get("msg_type")) == "text"
    assert TEXT.body in json.dumps(sent, ensure_ascii=False)
    assert sent.get("at", {}).get("isAtAll", False) is False


def test_robot_of_dingtalk_is_signed_for(receiver, monkeypatch):
    plugin, address, receiver.body = ROBOTS["dingtalk"]
    monkeypatch.setattr(plugin, "notify_url", plugin.notify_url.replace("https://", f"{receiver.url}/"))
    send(service_of(address), address, TEXT, "id")
    assert "&timestamp=" in receiver.requests[0].path
    assert "&sign=" in receiver.requests[0].path


@pytest.mark.parametrize(
    "answer",
    [
        b'{"errcode":310000,"errmsg":"keywords not in content","code":9499,"msg":"Bad Request"}',
        b'{"errcode":130101,"errmsg":"send too fast","code":11232,"msg":"frequency limited"}',
        b"<html>maintenance</html>",
        b"[]",
        b"",
    ],
)
def test_refusal_in_the_answer_of_a_robot_means_not_delivered(robot, receiver, answer):
    address, _ = robot
    receiver.body = answer
    with pytest.raises(NotDelivered, match="refused it with code"):
        send(service_of(address), address, TEXT, "id")


def test_answer_of_a_robot_is_shown_without_its_token(robot, receiver):
    address, _ = robot
    said = f"{address} {'a' * 64} {KEY}\x1b[31m"
    receiver.body = json.dumps({"errcode": 1, "errmsg": said, "code": 1, "msg": said}).encode()
    with pytest.raises(NotDelivered) as caught:
        send(service_of(address), address, TEXT, "id")
    shown = str(caught.value)
    token = "a" * 64 if address.startswith("dingtalk") else KEY
    assert token not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("status", [302, 404, 500])
def test_status_that_is_not_good_is_a_failure(robot, receiver, status):
    address, receiver.body = robot
    receiver.status, receiver.location = status, f"{receiver.url}/elsewhere"
    with pytest.raises(NotDelivered, match=str(status)):
        send(service_of(address), address, TEXT, "id")
    assert len(receiver.requests) == 1


def test_other_services_follow_no_redirect_whatever_their_address(receiver):
    address = f"{receiver.url.replace('http', 'json')}/t0ken?redirect=yes"
    service = service_of(address)
    assert send(service, address, TEXT, "id") == "JSON"
    assert receiver.requests[0].headers["x-pindna-alert"] == "id"
    receiver.status, receiver.location = 302, f"{receiver.url}/elsewhere"
    with pytest.raises(NotDelivered) as caught:
        send(service, address, TEXT, "id")
    assert "t0ken" not in str(caught.value)
    assert [request.path for request in receiver.requests] == ["/t0ken"] * 2
