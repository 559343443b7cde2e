"""Reads a few frames of a page that was not rendered, if they are on the same site.

Their text is added to the rest of the page. Frames of other sites, failed frames, and frames in frames stay
counted as unread.
"""

from dataclasses import dataclass, replace

from scrapy.http import Response

from crawler.addresses import canonical
from crawler.extraction import ExtractedPage
from crawler.meta import RECEIVED
from crawler.pages.added_rest import add_frame
from crawler.pages.outcomes import FetchedPart, Outcome, Text
from crawler.pages.page_records import PagePart
from crawler.pages.reading import ContextOf, FetchPart, declared_charset, part_of, was_rendered
from crawler.readers.frame_question import FramesQuestion, PageFrame
from crawler.readers.pool import CannotRead, ReaderPool
from storage.records import TextPart, UnreadReason
from system.sites import host_of, site_of_host

MAX_FRAMES = 5  # maximum number of frames that are read per page


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameReader:
    """Reads frames.

    Attributes:
        fetch: fetches them like further parts of a text.
        readers: parse pages.
        context_of: returns the extraction context of a response.
        max_rest_chars: limit of a page's rest.
    """

    fetch: FetchPart
    readers: ReaderPool
    context_of: ContextOf
    max_rest_chars: int

    async def add_frames(self, outcome: Outcome, response: Response) -> Outcome:
        """Return the outcome of a page with the text of its frames in its rest.

        Args:
            outcome: of the page.
            response: of the page.
        """
        if not isinstance(outcome, Text) or was_rendered(response):
            return outcome
        if not outcome.record.page.unread.get("frames"):
            return outcome
        for frame in await self._frames_of(response):
            outcome = await self._add_frame(outcome, frame, response)
        return outcome

    async def _frames_of(self, response: Response) -> list[PageFrame]:
        """Return the distinct frames of the page's own site."""
        question = FramesQuestion(response.body, response.url, declared_charset(response))
        try:
            frames = await self.readers.ask(question)
        except CannotRead:
            return []
        site = site_of_host(host_of(response.url))
        same_site = {
            canonical(frame.url): frame for frame in frames if site_of_host(host_of(frame.url)) == site
        }
        same_site.pop(canonical(response.url), None)
        return list(same_site.values())[:MAX_FRAMES]

    async def _add_frame(self, outcome: Text, frame: PageFrame, response: Response) -> Text:
        shown = await self.fetch(frame.url, response)
        if shown is None:
            return outcome
        try:
            frame_part = await part_of(shown, self.readers, await self.context_of(shown))
        except CannotRead:
            return outcome
        page = outcome.record.page
        page = add_frame(
            replace(page, unread=_unread_with(page.unread, frame_part.extracted)),
            frame_part.extracted,
            sha256=frame_part.snapshot.sha256,
            path=frame.path,
            max_chars=self.max_rest_chars,
        )
        record = replace(
            outcome.record, page=page, snapshots=(*outcome.record.snapshots, frame_part.snapshot)
        )
        return replace(outcome, record=record, attached=(*outcome.attached, _fetched_part(shown, frame_part)))


def _unread_with(unread: dict[UnreadReason, int], frame: ExtractedPage) -> dict[UnreadReason, int]:
    """Return the unread counts of a page after one of its frames was read."""
    counts = dict(unread)
    for reason, number in frame.unread.items():
        counts[reason] = counts.get(reason, 0) + number
    counts["frames"] = counts.get("frames", 0) - 1
    return {reason: number for reason, number in counts.items() if number > 0}


def _fetched_part(response: Response, frame_part: PagePart) -> FetchedPart:
    return FetchedPart(
        TextPart(url=response.url, sha256=frame_part.snapshot.sha256), response.meta.get(RECEIVED)
    )
