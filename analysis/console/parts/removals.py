"""What the removal of works would remove, in words."""

from analysis.console.view import View
from storage.records import Removal


def losses_line(view: View, losses: Removal, *, characters: int) -> str:
    """Return the line about the records that a removal would remove.

    Args:
        view: the page.
        losses: the records.
        characters: number of characters of the works.
    """
    line = view.gettext(
        "{passages} chapters, {characters} characters; {matches} matches, {decided} of them reviewed, "
        "{cases} cases, {dismissals} dismissals, {captures} fetches as evidence."
    )
    return line.format(
        passages=f"{losses.passages:,}",
        characters=f"{characters:,}",
        matches=f"{losses.matches:,}",
        decided=f"{losses.decided:,}",
        cases=f"{losses.cases:,}",
        dismissals=f"{losses.dismissals:,}",
        captures=f"{losses.captures:,}",
    )
