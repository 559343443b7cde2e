"""Robots of DingTalk, WeCom and Feishu: services that refuse a message in the body of a good answer.

Too many messages in a minute, a keyword that is missing, a robot that was removed: the status is 200 and the
body has a code. apprise, which reads their addresses and signs for DingTalk, looks at the status alone, so a
message that nobody got would count as sent.

Sources: https://open.dingtalk.com/document/robots/custom-robot-access,
https://developer.work.weixin.qq.com/document/path/91770,
https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from apprise.plugins.base import NotifyBase
from apprise.plugins.dingtalk import NotifyDingTalk
from apprise.plugins.feishu import NotifyFeishu
from apprise.plugins.wecombot import NotifyWeComBot

from analysis.alerts import posting
from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.wording import AlertText
from analysis.words.i18n import N_
from system.errors import one_line
from system.messages import Message
from system.secrets import masked

_MAX_ANSWER_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Robot:
    """How a message is put to a robot.

    Attributes:
        url, params: where it is posted to.
        payload: with the message.
        code: the field of the answer that is 0 when it was taken.
        reason: the field that says why not.
    """

    url: str
    payload: Mapping[str, object]
    code: str
    reason: str
    params: Mapping[str, str] | None = None


def robot_of(service: NotifyBase, text: AlertText) -> Robot | None:
    """Return how a text is put to a service, None where it is none of these robots."""
    content = f"{text.title}\n{text.body}"
    if isinstance(service, NotifyDingTalk):
        at = {"atMobiles": list(service.targets), "isAtAll": False}
        payload: dict[str, object] = {"msgtype": "text", "text": {"content": content}, "at": at}
        return Robot(
            service.notify_url.format(token=service.token), payload, "errcode", "errmsg", _signed(service)
        )
    if isinstance(service, NotifyWeComBot):
        payload = {"msgtype": "text", "text": {"content": content}}
        return Robot(service.api_url, payload, "errcode", "errmsg")
    if isinstance(service, NotifyFeishu):
        payload = {"msg_type": "text", "content": {"text": content}}
        return Robot(service.notify_url.format(token=service.token), payload, "code", "msg")
    return None


def _signed(service: NotifyDingTalk) -> Mapping[str, str] | None:
    """Return the parameters that sign a request, None for a robot without a secret."""
    if not service.secret:
        return None
    timestamp, signature = service.get_signature()  # type: ignore[no-untyped-call]
    return {"timestamp": timestamp, "sign": signature}


def put(robot: Robot, address: str) -> str:
    """Put a message to a robot and return what came back, in a few words.

    Args:
        robot: see :func:`robot_of`.
        address: of the service, for masking it in what the robot says.

    Raises:
        NotDelivered: it was not taken; the error holds nothing of the address.
    """
    payload, kind = json.dumps(robot.payload).encode("ascii"), {"content-type": "application/json"}
    status, body = posting.post(robot.url, payload, kind, params=robot.params, max_bytes=_MAX_ANSWER_BYTES)
    answer = _document(body)
    if status != HTTPStatus.OK:
        raise NotDelivered(problem=Message(N_("HTTP {status}"), {"status": status}))
    code = answer.get(robot.code)
    if code != 0:
        reason = one_line(masked(str(answer.get(robot.reason, "")), [address]))
        problem = N_("the robot refused it with code {code}: {said}")
        raise NotDelivered(problem=Message(problem, {"code": str(code), "said": reason}))
    return f"HTTP {status}, {robot.code} 0"


def _document(body: bytes) -> dict[str, object]:
    """Return what the body of an answer says; nothing where that is no JSON."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
