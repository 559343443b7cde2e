"""Compare the works and passages that a package lists with those that its pages were judged with.

A reader sees the list; the matches are computed again from the inputs. Both are written by the maker of the
package, so they must not contradict each other.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from analysis.evidence import layout
from analysis.evidence.documents import record_of
from analysis.evidence.opening import OpenPackage
from analysis.evidence.rejudging import JudgementInputs, field_change
from storage.records import Match, PassageHead, Work

_FIELDS = (
    "title",
    "kind",
    "author",
    "holder",
    "url",
    "published",
    "licensed_sites",
    "licences",
    "sha256",
    "edition_of",
    "role",
    "additions",
)
"""What readers see of a work, or judging uses. Other fields may change while a package is made."""


@dataclass(frozen=True, slots=True)
class ListedWorks:
    """The works and passages that a package lists, by id."""

    works: Mapping[int, Work]
    passages: Mapping[int, PassageHead]


def listed_works(package: OpenPackage) -> ListedWorks:
    """Return the works and passages that a package lists.

    Raises:
        NotAPackage, NotADocument: a list is missing or has another structure.
    """
    works = (record_of(Work, row) for row in package.lines(layout.WORKS))
    heads = (record_of(PassageHead, row) for row in package.lines(layout.PASSAGES))
    return ListedWorks({work.id: work for work in works}, {head.id: head for head in heads})


def contradictions(listed: ListedWorks, inputs: JudgementInputs, matches: Iterable[Match]) -> list[str]:
    """Return one line for each difference between the lists and the inputs of a page's matches.

    Args:
        listed: the lists of the package.
        inputs: the inputs of the page's judgement; they may contain more works than the matched ones.
        matches: the matches of the page.
    """
    matched = {match.passage_id for match in matches}
    heads = {head.id: head for head in inputs.passages}
    owners = {heads[key].work_id for key in matched if key in heads}
    return [
        *(f"passage: {key} → –" for key in sorted(matched - listed.passages.keys())),
        *(f"work: {key} → –" for key in sorted(owners - listed.works.keys())),
        *(line for head in inputs.passages for line in _head_differences(listed.passages.get(head.id), head)),
        *(line for work in inputs.works for line in _work_differences(listed.works.get(work.id), work)),
    ]


def _head_differences(listed: PassageHead | None, judged: PassageHead) -> Iterator[str]:
    if listed is not None and listed != judged:
        yield f"passage {judged.id}: {listed.title} → {judged.title}"


def _work_differences(listed: Work | None, judged: Work) -> Iterator[str]:
    if listed is None:  # a work without a match
        return
    for name in _FIELDS:
        before, now = getattr(listed, name), getattr(judged, name)
        if before != now:
            yield f"work {judged.id} {name}: {field_change(before, now)}"
