"""What stands in the place of a copy: another text, or the same work again, shortened or rewritten.

A look compares a page with the copied stretches that were there. Whether a text that has less than half of
them is still a copy is for the comparison to say, as of any other page: so another text is proof of a removal
only once it was compared.
"""

from dataclasses import replace

from analysis.watch.enrolling import is_copy
from analysis.watch.looks import NOT_COMPARED
from crawler.pages.looks import REDIRECT
from storage.collections.stores import Stores
from storage.records import Look, Watch


def judged_look(watch: Watch, look: Look, stores: Stores) -> Look:
    """Return a look with what the comparison said of the text that took the place of a copy.

    Args:
        watch: the address, before the look.
        look: at it.
        stores: the database.

    Returns:
        The look; ``up`` where the new text is a copy of a work that the address is watched for, and
        ``unreachable`` where it would prove a removal and was not compared yet.

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
