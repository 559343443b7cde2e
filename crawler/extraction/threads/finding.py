"""Detection of the posts of a page. Pure.

Lines with a date are the stamps of posts. Adjacent blocks of the same kind with a stamp each are the posts
(:mod:`~crawler.extraction.threads.records`); their text is what differs between them
(:mod:`~crawler.extraction.threads.slots`). A separate text between the title and the posts is the first post
if the page is a discussion (:mod:`~crawler.extraction.threads.evidence`). Otherwise it is an article, and the
posts are readers' comments, which are not part of it. Teasers, each below a linked title, are a list.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import fmean

from crawler.extraction.block import main_block
from crawler.extraction.metadata import Metadata
from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Tree, count_chars
from crawler.extraction.publication import Clock
from crawler.extraction.result import MAX_NAME_CHARS, field_text, storable_text
from crawler.extraction.stamps import is_stamp, post_number_of
from crawler.extraction.threads.bylines import date_of, member_of, name_in, post_number_in
from crawler.extraction.threads.evidence import Replies, is_discussion
from crawler.extraction.threads.quotes import (
    EarlierPosts,
    Passages,
    common_endings,
    marked_passages,
    without_notes,
)
from crawler.extraction.threads.records import Record, RecordPage, Records
from crawler.extraction.threads.slots import Slots
from crawler.extraction.threads.thread import NO_POSTS, PagePosts, Thread, ThreadPost
from crawler.extraction.title_lines import is_title, squeeze, title_line
from fingerprint.text.han import HAN
from storage.records import ClaimedDate

_MIN_HEADLINE_CHARS = 8  # minimum characters of a linked line that is the title of another page
_MIN_HEADLINE_LINKS = 0.8  # minimum share of a headline's characters that are links
_MIN_HEADLINE_HAN = 5
_MAX_HEADLINES = 0.5  # maximum share of posts that have a headline
# if a higher share of a block's lines is in inner posts, the block is a container, not a post
_MIN_CONTAINED = 0.5
_MAX_INNER = 8  # maximum number of groups that begin at the same stamp
_MIN_STAMPS = 2
_MIN_FLOORS = 3
_MAX_FLOOR_CHARS = 8
_MIN_SIGNED = 4  # minimum number of posts whose authors prove a thread
_MIN_FIRST_CHARS = 10  # minimum characters of a first post above the others
_MIN_ARTICLE_CHARS = 100  # minimum characters of an article above the title of its comments
# Limits for a text elsewhere on the page. A longer text is an article, and the posts are readers' comments.
_MIN_ELSEWHERE_CHARS = 300
_MAX_ELSEWHERE = 0.5  # maximum share of that text in all characters of posts and of text above them
_MAX_COMMENT_CHARS = 200  # maximum mean length of comments, including their bylines
_COMMENTS = re.compile(r"评论|評論|留言|跟[帖贴]|回[复復覆應应帖]|comments?\b", re.IGNORECASE)
_ANSWER = re.compile(r"回[复復覆應应帖]|[举舉][报報]|引用|[点點]?[赞讚]|支持|\breply\b", re.IGNORECASE)
_LINES_OF_HEADING = 3
_MAX_BUTTONS_CHARS = 30  # maximum characters of a line with buttons
_LINES_ABOVE = 8  # number of lines above the first post that may contain its date
_MAX_EXCERPT_CHARS = 500  # maximum characters of a stored quote or signature
_HAN = re.compile(f"[{HAN}]+")


@dataclass(frozen=True, slots=True)
class _RawPost:
    """A post whose text still contains quotes and a signature.

    Attributes:
        lines: numbers of the lines of its text.
        number: as the page states it; None without one.
        is_members: its number in the thread, or its author as a member, is written next to it.
        is_reply: it is inside another post.
        signature: as the page marks it.
    """

    lines: tuple[int, ...]
    start: int
    number: int | None
    author: str | None
    published: ClaimedDate | None
    is_members: bool = False
    is_reply: bool = False
    signature: str = ""


def find_posts(
    tree: Tree, page: Outline, *, fields: Metadata, url: str = "", clock: Clock | None = None
) -> PagePosts:
    """Return the posts of a page: a thread, or readers' comments.

    Args:
        tree: the whole page.
        page: its visible lines.
        fields: title and other fields of the page.
        url: its address, if known.
        clock: completes the dates of posts.
    """
    stamps = [number for number, line in enumerate(page.lines) if is_stamp(line)]
    if len(stamps) < _MIN_STAMPS:
        stamps = _floors(page)
    if len(stamps) < _MIN_STAMPS:
        return NO_POSTS
    records = RecordPage(page, stamps)
    groups = records.groups()
    group = _main_group(records, groups)
    if group is None:
        return NO_POSTS
    text_above = _text_above(page, fields, group.start)
    reader = _Reader(page, set(stamps), clock or Clock())
    posts = [] if text_above else reader.read(group, groups)  # posts below a separate text may be comments
    replies = Replies(
        first=text_above[0] if text_above else group.start,
        start=group.start,
        own_chars=sum(page.lines[at].chars for at in text_above),
        chars=records.weight(group),
        is_numbered=2 * sum(post.is_members for post in posts) > len(posts),
        is_answered=2 * _answered(page, group) > len(group.records),
        is_signed=len(posts) >= _MIN_SIGNED
        and 2 * sum(post.author is not None for post in posts) > len(posts),
    )
    if not is_discussion(tree, page, replies, url=url):
        return PagePosts(comments=_comments(page, reader, group, groups, own_chars=replies.own_chars))
    elsewhere = _text_elsewhere(page, fields, group, text_above)
    if elsewhere > max(_MIN_ELSEWHERE_CHARS, _MAX_ELSEWHERE * (replies.own_chars + replies.chars)):
        return NO_POSTS
    if text_above:
        posts = reader.read(group, groups)
        posts.insert(0, reader.first(text_above, fields, number=int(posts[0].number != 1)))
    thread = Thread(tuple(_finished(page, posts, reader.passages)))
    return PagePosts(thread) if thread.posts else NO_POSTS


def _floors(page: Outline) -> list[int]:
    """Return the numbers of the lines that are only the number of a post, for threads without dates."""
    numbered = [
        (at, number)
        for at, line in enumerate(page.lines)
        if line.chars <= _MAX_FLOOR_CHARS and (number := post_number_of(line.text)) is not None
    ]
    is_counted = all(second == first + 1 for (_, first), (_, second) in pairwise(numbered))
    return [at for at, _ in numbered] if is_counted and len(numbered) >= _MIN_FLOORS else []


def _comments(
    page: Outline, reader: "_Reader", group: Records, groups: Sequence[Records], *, own_chars: int
) -> range:
    """Return the line numbers of posts that are readers' comments on the text above them.

    Comments are short, most have an author, and they are shorter than their text. A copy that is cut up and
    disguised as comments is longer than either. Dated lines of a chronicle have neither members nor reply
    buttons, and no heading that announces comments.
    """
    chars = [sum(page.lines[at].chars for at in range(record.start, record.end)) for record in group.records]
    if sum(chars) > own_chars or fmean(chars) > _MAX_COMMENT_CHARS:
        return range(0)
    posts = reader.read(group, groups)
    signed = sum(post.author is not None for post in posts)
    members = sum(post.is_members for post in posts)
    answered = _answered(page, group)
    above = "".join(line.text for line in page.lines[max(0, group.start - _LINES_OF_HEADING) : group.start])
    is_told = max(2 * members, 2 * answered) > len(posts) or _COMMENTS.search(above) is not None
    return range(group.start, group.end) if is_told and 2 * signed > len(posts) else range(0)


def _answered(page: Outline, group: Records) -> int:
    """Return the number of posts with a button to answer, quote or report them."""
    return sum(_is_answered(page.lines[record.start : record.end]) for record in group.records)


def _is_answered(lines: Sequence[Line]) -> bool:
    labels = (line for line in lines if not line.is_prose and line.chars <= _MAX_BUTTONS_CHARS)
    return any(_ANSWER.search(label.text) for label in labels)


def _main_group(page: RecordPage, groups: Sequence[Records]) -> Records | None:
    """Return the group with most text, without containers of other posts; None for teasers."""
    by_stamp: dict[int, list[Records]] = {}
    for group in groups:
        by_stamp.setdefault(group.records[0].stamp, []).append(group)
    headlines = [number for number, line in enumerate(page.outline.lines) if _is_headline(line)]
    best, most = None, 0
    for group in groups:
        bare = _without_containers(group, by_stamp)
        chars = page.weight(bare)
        if chars > most and len(bare.records) > 1 and not _has_headlines(page.outline, bare, headlines):
            best, most = bare, chars
    return best


def _without_containers(group: Records, by_stamp: Mapping[int, Sequence[Records]]) -> Records:
    """Return a group without the blocks whose stamp belongs to the first of several inner posts.

    ``by_stamp`` has the page's groups by their first stamp, the innermost group first.
    """
    containers = {
        record.block
        for record in group.records
        for other in by_stamp.get(record.stamp, ())[:_MAX_INNER]
        if other.parent > group.parent
        and record.start <= other.start
        and other.end - other.start >= _MIN_CONTAINED * (record.end - record.start)
    }
    return replace(group, records=tuple(record for record in group.records if record.block not in containers))


def _has_headlines(page: Outline, group: Records, headlines: Sequence[int]) -> bool:
    """Return whether the blocks are teasers: most have a linked title, and these differ."""
    titles: set[str] = set()
    for record in group.records:
        at = bisect_left(headlines, record.start)
        if at < len(headlines) and headlines[at] < record.end:
            titles.add(page.lines[headlines[at]].text)
    return len(titles) > max(1, _MAX_HEADLINES * len(group.records))


def _is_headline(line: Line) -> bool:
    return (
        line.is_link
        and line.link_chars >= max(_MIN_HEADLINE_CHARS, _MIN_HEADLINE_LINKS * line.chars)
        and count_chars(_HAN, line.text) >= _MIN_HEADLINE_HAN
    )


def _text_above(page: Outline, fields: Metadata, start: int) -> list[int]:
    """Return the line numbers of a separate text between the page's title and the posts.

    A long text above the title also counts, because the title then belongs to the comments.
    """
    heading = title_line(page, fields.title)
    first = 0 if heading is None or heading >= start else heading + 1
    below = _text_within(page, fields, range(first, start))
    if sum(page.lines[at].chars for at in below) >= _MIN_FIRST_CHARS:
        return below
    above = _text_within(page, fields, range(first))
    return above if sum(page.lines[at].chars for at in above) >= _MIN_ARTICLE_CHARS else []


def _text_elsewhere(page: Outline, fields: Metadata, group: Records, text_above: Sequence[int]) -> int:
    """Return the characters of sentences that are neither in the posts nor in the text above them."""
    posts = {*text_above, *range(group.start, group.end)}
    outside = [at for at in range(len(page.lines)) if at not in posts]
    text = (page.lines[at] for at in _text_within(page, fields, outside))
    return sum(line.chars for line in text if line.is_prose)


def _text_within(page: Outline, fields: Metadata, numbers: Sequence[int]) -> list[int]:
    """Return the given lines that form a text, without its title."""
    lines = tuple(page.lines[at] for at in numbers)
    block = main_block(replace(page, lines=lines), title=fields.title, descriptions=fields.descriptions)
    title = squeeze(fields.title)
    text = {id(line) for line in block.lines if squeeze(line.text) not in title and not is_title(line, title)}
    return [at for at in numbers if id(page.lines[at]) in text]


class _Reader:
    """Reader of the posts of a page."""

    def __init__(self, page: Outline, stamps: set[int], clock: Clock) -> None:
        self._page = page
        self._stamps = stamps
        self._clock = clock
        self.passages = marked_passages(page)

    def read(self, group: Records, groups: Sequence[Records]) -> list[_RawPost]:
        """Return the posts of a group, and the posts inside them, in reading order."""
        inside = list(_records_inside(group, groups))
        replies = self._posts(inside, skipped=set())
        # most of these are dates inside a post's text
        if 2 * sum(reply.is_members for reply in replies) <= len(replies):
            inside, replies = [], []
        skipped = {at for record in inside for at in range(record.start, record.end)}
        posts = self._posts(group.records, skipped=skipped)
        posts += [replace(reply, is_reply=True) for reply in replies]
        return sorted(posts, key=lambda post: post.start)

    def _posts(self, records: Sequence[Record], *, skipped: set[int]) -> list[_RawPost]:
        if not records:
            return []
        slots = Slots(self._page, records, stamps=self._stamps, skipped=skipped)
        return [self._post(slots, number, record) for number, record in enumerate(records)]

    def _post(self, slots: Slots, number: int, record: Record) -> _RawPost:
        page = self._page
        own_lines = list(slots.own_lines(number))
        signed = {at for at in own_lines if self.passages.signatures[page.lines[at].block]}
        text = {at for at in slots.text_lines(number) if at != record.stamp} - signed
        around = [at for at in own_lines if at not in text]
        post_number, member = post_number_in(page, around), member_of(page, record, around)
        return _RawPost(
            lines=tuple(sorted(text)),
            start=record.start,
            number=post_number,
            author=member or name_in(page, around),
            published=date_of(page, record, around, self._clock),
            is_members=post_number is not None or member is not None,
            signature="\n".join(page.lines[at].text for at in sorted(signed)),
        )

    def first(self, lines: Sequence[int], fields: Metadata, *, number: int) -> _RawPost:
        """Return the post above the others; fields without a stamp next to it come from the page.

        Args:
            lines: numbers of the lines of its text.
            fields: fields of the page.
            number: its number in the thread.
        """
        above = [at for at in range(max(0, lines[0] - _LINES_ABOVE), lines[0]) if at in self._stamps]
        stamps = [self._page.lines[at].text for at in above[-1:]]
        published = self._clock.first(stamps) or self._clock.first(stamps, is_relative=True)
        return _RawPost(
            lines=tuple(lines),
            start=lines[0],
            number=number,
            author=name_in(self._page, above[-1:]) or fields.author,
            published=published or fields.published,
        )


def _records_inside(group: Records, groups: Sequence[Records]) -> Iterator[Record]:
    """Yield the outermost blocks with their own stamps inside a group's posts."""
    starts = [record.start for record in group.records]
    end = 0
    for other in sorted(groups, key=lambda other: (other.start, other.parent)):
        at = bisect_right(starts, other.start) - 1
        around = group.records[at] if at >= 0 else None
        if around is None or other.parent <= group.parent or other.start < end:
            continue
        if around.stamp < other.start and other.end <= around.end:
            yield from other.records
            end = other.end


def _finished(page: Outline, posts: Sequence[_RawPost], passages: Passages) -> Iterator[ThreadPost]:
    """Yield the posts that have a text, in order, without quotes and signatures."""
    texts: list[list[str]] = []
    quotes: list[list[str]] = []
    earlier = EarlierPosts()
    for post in posts:
        lines, quoted = _without_quotes(page, post.lines, passages, earlier)
        lines = [line for line in map(without_notes, lines) if line]
        earlier.add(lines)
        texts.append(lines)
        quotes.append(quoted)
    endings = common_endings([(post.author, lines) for post, lines in zip(posts, texts, strict=True)])
    last_number = 0
    for post, text, quoted, is_signed in zip(posts, texts, quotes, endings, strict=True):
        lines, signature = (text[:-1], text[-1]) if is_signed else (text, post.signature)
        if not post.is_reply:
            last_number = last_number + 1 if post.number is None or post.number < last_number else post.number
        if lines or quoted:
            yield ThreadPost(
                number=last_number,
                author=field_text(post.author or "", max_chars=MAX_NAME_CHARS) or None,
                published=post.published,
                lines=tuple(map(storable_text, lines)),
                quotes=tuple(_excerpt(quote) for quote in quoted),
                signature=_excerpt(signature),
            )


def _excerpt(text: str) -> str:
    """Return the part of a quote or signature that is kept."""
    return storable_text(text[:_MAX_EXCERPT_CHARS])


def _without_quotes(
    page: Outline, numbers: Sequence[int], passages: Passages, earlier: EarlierPosts
) -> tuple[list[str], list[str]]:
    """Return the lines of a post without quotes of earlier posts, and these quotes."""
    lines: list[str] = []
    quotes: list[str] = []
    for quote, run in groupby(numbers, key=lambda at: passages.quotes[page.lines[at].block]):
        texts = [page.lines[at].text for at in run]
        if quote and earlier.is_quote(texts):
            quotes.append("\n".join(texts))
        else:
            lines += texts
    return lines, quotes
