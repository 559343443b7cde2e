"""Judge the text that replaced a copy: another text, or the same work shortened or rewritten.

A look compares a page with the copied stretches. Whether a text with less than half of them is still a copy
is decided by the comparison, as for any page. So another text proves a removal only after its comparison.
"""

from dataclasses import replace

from analysis.watch.enrolling import is_copy
from analysis.watch.looks import NOT_COMPARED
from crawler.pages.looks import REDIRECT
from storage.collections.stores import Stores
from storage.records import Look, Watch


def judged_look(watch: Watch, look: Look, stores: Stores) -> Look:
    """Return a look, corrected by the comparison of the text that replaced a copy.

    Args:
        watch: the watch before the look.
        look: the look.
        stores: the database.

    Returns:
        The look; ``up`` if the new text is a copy of a work that the address is watched for, and
        ``unreachable`` if it would prove a removal and is not compared yet.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    if look.state != "changed" or not look.answer_id or look.reason == REDIRECT:
        return look
    works = {match.work_id for match in stores.matches.of_page(watch.page_id)}
    if any(match.work_id in works and is_copy(match) for match in stores.matches.of_page(look.answer_id)):
        return replace(look, state="up", reason="")
    page = stores.pages.get(look.answer_id)
    is_waiting = page is not None and page.state == "fetched"
    is_decisive = watch.first_gone is not None and watch.gone_since is None
    return replace(look, state="unreachable", reason=NOT_COMPARED) if is_waiting and is_decisive else look
