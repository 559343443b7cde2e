"""The audit log: users, actions, times, and values before and after.

Its rows are events without a case, so the evidence log proves that none was changed or deleted.
"""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from storage.collections.stores import Stores
from storage.records import Event, EventKind

_NOTHING: Mapping[str, object] = MappingProxyType({})
_MAX_CHARS = 4_000  # maximum length of the values before a change, and of the values after it


def record(
    stores: Stores,
    kind: EventKind,
    *,
    by: str,
    at: datetime,
    subject: str,
    before: Mapping[str, object] = _NOTHING,
    after: Mapping[str, object] = _NOTHING,
    detail: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add a row to the audit log.

    Args:
        stores: the database.
        kind: the action.
        by: the user.
        at: the time.
        subject: the object: ``account li``, ``source portal``.
        before: fields before the change, without secrets; unchanged fields are omitted.
        after: fields after the change.
        detail: further data, such as an address or a token.
    """
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    described = {
        word: _fields_as_text({name: fields[name] for name in changed if name in fields})
        for word, fields in (("before", before), ("after", after))
    }
    event = Event(
        id=f"audit#{uuid.uuid4().hex}",
        case=0,
        kind=kind,
        at=at,
        by=by,
        subject=subject,
        detail={**detail, **{word: text for word, text in described.items() if text != "{}"}},
    )
    stores.events.add_many([event])


def _fields_as_text(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= _MAX_CHARS else text[: _MAX_CHARS - 1] + "…"
