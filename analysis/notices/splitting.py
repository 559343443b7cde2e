"""Limit the addresses of a letter, and split a long letter into several. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.notices.facts import NoticeFacts, NoticeSubject


def most_serious(subjects: Sequence[NoticeSubject], count: int) -> tuple[NoticeSubject, ...]:
    """Return subjects with only the addresses with the most copied text; count 0: all addresses.

    Works without an address among them are left out.
    """
    copies = [copy for subject in subjects for copy in subject.infringements]
    if not count or len(copies) <= count:
        return tuple(subjects)
    chosen = {id(copy) for copy in sorted(copies, key=lambda copy: -copy.copied_chars)[:count]}
    limited = (
        replace(subject, infringements=tuple(copy for copy in subject.infringements if id(copy) in chosen))
        for subject in subjects
    )
    return tuple(subject for subject in limited if subject.infringements)


def split_letters(facts: NoticeFacts, most: int) -> tuple[NoticeFacts, ...]:
    """Split a letter into letters with a limited number of addresses each. Pure.

    The addresses of a work stay together if they fit into one letter.

    Args:
        facts: facts of the whole letter.
        most: maximum number of addresses in one letter.
    """
    letters: list[list[NoticeSubject]] = [[]]
    room = most
    for subject in facts.subjects:
        if letters[-1] and len(subject.infringements) > room:
            letters.append([])
            room = most
        for piece in _pieces(subject, most):
            if len(piece.infringements) > room:
                letters.append([])
                room = most
            letters[-1].append(piece)
            room -= len(piece.infringements)
    return tuple(
        replace(facts, subjects=tuple(subjects), letter=number, letters=len(letters))
        for number, subjects in enumerate(letters, 1)
    )


def _pieces(subject: NoticeSubject, most: int) -> Iterator[NoticeSubject]:
    """Yield a subject in pieces with a limited number of addresses; the first states what was left out."""
    infringements, left_out = subject.infringements, subject.left_out
    for start in range(0, max(1, len(infringements)), most):
        yield replace(subject, infringements=infringements[start : start + most], left_out=left_out)
        left_out = 0
