"""Chat robots of DingTalk, WeCom and Feishu. They report a refusal in the body of an answer with status 200.

Examples: too many messages in a minute, a missing keyword, a removed robot. The body contains an error code.
apprise parses their addresses and signs for DingTalk, but checks the status only, so a refused message would
count as sent.

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
from system.secrets import mask_secrets

_MAX_ANSWER_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Robot:
    """A message for a robot.

    Attributes:
        url, params: the address to post to.
        payload: the body with the message.
        code: the field of the answer that is 0 on success.
        reason: the field of the answer with the reason for a refusal.
    """

    url: str
    payload: Mapping[str, object]
    code: str
    reason: str
    params: Mapping[str, str] | None = None


def robot_of(service: NotifyBase, text: AlertText) -> Robot | None:
    """Return a text as a message for a robot; None if the service is not one of these robots."""
    content = f"{text.title}\n{text.body}"
    if isinstance(service, NotifyDingTalk):
        at = {"atMobiles": list(service.targets), "isAtAll": False}
        payload: dict[str, object] = {"msgtype": "text", "text": {"content": content}, "at": at}
        return Robot(
            service.notify_url.format(token=service.token),
            payload,
            "errcode",
            "errmsg",
            _signature_params(service),
        )
    if isinstance(service, NotifyWeComBot):
        payload = {"msgtype": "text", "text": {"content": content}}
        return Robot(service.api_url, payload, "errcode", "errmsg")
    if isinstance(service, NotifyFeishu):
        payload = {"msg_type": "text", "content": {"text": content}}
        return Robot(service.notify_url.format(token=service.token), payload, "code", "msg")
    return None


def _signature_params(service: NotifyDingTalk) -> Mapping[str, str] | None:
    """Return the parameters that sign a request; None for a robot without a secret."""
    if not service.secret:
        return None
    timestamp, signature = service.get_signature()  # type: ignore[no-untyped-call]
    return {"timestamp": timestamp, "sign": signature}


def post_to_robot(robot: Robot, address: str) -> str:
    """Post a message to a robot and return a short answer.

    Args:
        robot: the result of :func:`robot_of`.
        address: address of the service, to mask it in the answer.

    Raises:
        NotDelivered: the robot did not accept it; the error does not contain the address.
    """
    payload, kind = json.dumps(robot.payload).encode("ascii"), {"content-type": "application/json"}
    status, body = posting.post(robot.url, payload, kind, params=robot.params, max_bytes=_MAX_ANSWER_BYTES)
    answer = _parse_answer(body)
    if status != HTTPStatus.OK:
        raise NotDelivered(problem=Message(N_("HTTP {status}"), {"status": status}))
    code = answer.get(robot.code)
    if code != 0:
        reason = one_line(mask_secrets(str(answer.get(robot.reason, "")), [address]))
        problem = N_("the robot refused it with code {code}: {said}")
        raise NotDelivered(problem=Message(problem, {"code": str(code), "said": reason}))
    return f"HTTP {status}, {robot.code} 0"


def _parse_answer(body: bytes) -> dict[str, object]:
    """Parse the body of an answer; empty if it is not JSON."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
