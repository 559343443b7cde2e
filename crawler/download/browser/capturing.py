"""Captures a page as the browser shows it, scrolled through and with the content behind its buttons for more.

The layout comes from the browser (``DOMSnapshot``), out of reach of the page's scripts, in one call for each
process that shows a part of the page. It includes closed shadow trees, generated content and frames.
:mod:`crawler.download.browser.assembling` evaluates it.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Error, Frame, Page

from crawler.download.browser.assembling import BrowserCapture, FrameCapture, assemble, bare_page
from crawler.download.browser.settling import Settler
from crawler.download.browser.snapshot import CAPTURE_OPTIONS

MAX_FRAMES = 40
MAX_NODES = 100_000
_SNAPSHOT_S = 8.0
_SESSION_S = 2.0
_LOADING_S = 4.0  # time limit for content that loads after one scroll or press
_SCROLLING_S = 10.0  # for all scrolls
_PRESSING_S = 8.0  # for all presses
_ANIMATION_RATE = 100  # speed-up of animations, so that 15 seconds pass in .15 s
_ANIMATION_S = 0.15  # waiting time for sped-up animations
_REDRAWN_S = 0.2
_MAX_HEIGHT = 30_000  # maximum height of the window, for pages that only lay out their visible part
_ERROR_PAGE = "chrome-error:"

_COUNT = """(max => {
  const walker = document.createTreeWalker(document);
  let count = 0;
  while (count <= max && walker.nextNode()) count++;
  return count;
})(%d)"""
_SCROLL = """(async () => {
  const page = document.scrollingElement, step = innerHeight, end = performance.now() + 2500;
  if (!page || page.scrollHeight <= step) return false;
  for (let y = 0; y < page.scrollHeight && performance.now() < end; y += step) {
    scrollTo({top: y, behavior: 'instant'});
    await new Promise(done => setTimeout(done, 40));
  }
  scrollTo({top: 0, behavior: 'instant'});
  return true;
})()"""
# Presses the first visible button for more content that is no link to another page. Labels such as 查看目录
# do not count, because they may show something else instead of the text.
_PRESS_MORE = r"""(() => {
  const label = new RegExp('^(?:点击|點擊)?(?:加载|加載|載入|查看|显示|顯示|展开|展開|浏览|瀏覽|阅读|閱讀)'
    + '(?:(?:更多|全部|所有|完整|剩余|剩餘|其余|其餘|其他)的?'
    + '(?:章节|章節|目录|目錄|列表|内容|內容|全文|正文)?'
    + '(?:列表|目录|目錄)?|全文|正文|(?<=加载|加載|載入|展开|展開)(?:章节|章節|目录|目錄|列表|内容|內容))'
    + '[\\s.…>»↓﹀▼]*$');
  for (const element of document.querySelectorAll('button, a, span, div, p, input[type=button]')) {
    if (element.childElementCount > 2 || element.textContent.length > 40) continue;
    const text = (element.textContent || element.value || '').trim();
    if (text.length < 4 || text.length > 20 || !label.test(text)) continue;
    const link = element.closest('a[href]');
    if (link && !/^(?:#|javascript:|$)/i.test(link.getAttribute('href'))) continue;
    if (!element.getClientRects().length || element.closest('[disabled]')) continue;
    element.click();
    return true;
  }
  return false;
})()"""
# An endless animation is stopped at the moment at which most of its element is visible.
_STOP_ANIMATIONS = """(() => {
  const seen = element => {
    const style = getComputedStyle(element);
    return style.visibility === 'visible' && style.display !== 'none' ? Number(style.opacity) : 0;
  };
  for (const animation of document.getAnimations().slice(0, 200)) {
    try {
      const {delay, duration, endTime} = animation.effect.getComputedTiming();
      if (endTime !== Infinity || !animation.effect.target) continue;
      let best = -1, time = 0;
      for (const part of [0, 0.25, 0.5, 0.75, 0.99]) {
        animation.currentTime = delay + duration * part;
        const now = seen(animation.effect.target);
        if (now > best) { best = now; time = animation.currentTime; }
      }
      animation.pause();
      animation.currentTime = time;
    } catch { continue; }
  }
})()"""
# If the layout is too large, only the page's markup is read, with the length of its text.
_BARE = """(max => {
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\\n" : "";
  const all = document.documentElement ? type + document.documentElement.outerHTML : "";
  return all.length > max ? null : [all, document.body ? document.body.textContent.length : 0];
})(%d)"""


@dataclass(slots=True)
class Capturer:
    """Captures one page that has settled.

    Attributes:
        session: with the page.
        settler: of the page.
        is_busy: returns whether the page waits for the network.
    """

    page: Page
    session: CDPSession
    settler: Settler
    is_busy: Callable[[], bool]

    async def capture(self, *, max_chars: int) -> str | None:
        """Return the page as HTML with marks; None if it has more than ``max_chars`` characters.

        Raises:
            TimeoutError: the page does not reply.
        """
        count = await self.settler.evaluate(_COUNT % MAX_NODES)
        if not isinstance(count, int) or count > MAX_NODES:
            return await self._read_markup_only(max_chars)
        await self._repeat_while_growing(_SCROLL, max_chars, max_s=_SCROLLING_S)
        await self._repeat_while_growing(_PRESS_MORE, max_chars, max_s=_PRESSING_S, always_waits=True)
        try:
            async with asyncio.timeout(_SNAPSHOT_S):
                await self._end_animations()
                capture = await self._read_layout()
                html = await asyncio.to_thread(assemble, capture, max_chars=max_chars)
                if html.skipped and await self._enlarge_window():
                    html = await asyncio.to_thread(assemble, await self._read_layout(), max_chars=max_chars)
        except (Error, TimeoutError, RecursionError):
            return await self._read_markup_only(max_chars)
        return html.text if html.text is not None else await self._read_markup_only(max_chars)

    async def _repeat_while_growing(
        self, act: str, max_chars: int, *, max_s: float, always_waits: bool = False
    ) -> None:
        """Repeat an act while the page's text grows.

        Args:
            act: a script; its value says whether it did something.
            max_chars: stop when the text is longer.
            max_s: seconds for all repetitions.
            always_waits: the act may begin to load something later.
        """
        end = time.monotonic() + max_s
        before = await self.settler.characters()
        while time.monotonic() < end and before <= max_chars and await self.settler.evaluate(act, waits=True):
            if always_waits or self.is_busy() or await self.settler.characters() != before:
                await self.settler.wait_until_settled(
                    max_chars=max_chars, is_busy=self.is_busy, is_left=lambda: False, max_s=_LOADING_S
                )
            now = await self.settler.characters()
            if now == before:
                return
            before = now

    async def _end_animations(self) -> None:
        """Bring animations to their end, in frames and shadow trees as well."""
        await self.session.send("Animation.enable")
        await self.session.send("Animation.setPlaybackRate", {"playbackRate": _ANIMATION_RATE})
        await asyncio.sleep(_ANIMATION_S)
        await self.settler.evaluate(_STOP_ANIMATIONS)

    async def _enlarge_window(self) -> bool:
        """Make the window as high as the page, so that the browser lays out all of it."""
        size = self.page.viewport_size
        metrics = await self.session.send("Page.getLayoutMetrics")
        height = min(int(metrics["cssContentSize"]["height"]), _MAX_HEIGHT)
        if size is None or height <= size["height"]:
            return False
        await self.page.set_viewport_size({"width": size["width"], "height": height})
        await asyncio.sleep(_REDRAWN_S)
        return True

    async def _read_layout(self) -> BrowserCapture:
        """Return the layout of the page, and of its frames in other processes."""
        reply = await self.session.send("DOMSnapshot.captureSnapshot", CAPTURE_OPTIONS)
        frames = []
        sessions: dict[Frame, CDPSession] = {self.page.main_frame: self.session}
        for frame in self.page.frames[1 : MAX_FRAMES + 1]:
            session = await self._session_of(frame)
            if session is not None:
                sessions[frame] = session
                frames.append(await _frame_capture(session, _owner_session(frame, sessions)))
        return BrowserCapture(reply, [frame for frame in frames if frame is not None])

    async def _session_of(self, frame: Frame) -> CDPSession | None:
        """Return a session with a frame that runs in a separate process; None for other frames."""
        if frame.url.startswith(_ERROR_PAGE):
            return None
        try:
            async with asyncio.timeout(_SESSION_S):
                return await self.page.context.new_cdp_session(frame)
        except (Error, TimeoutError):
            return None

    async def _read_markup_only(self, max_chars: int) -> str | None:
        reply = await self.settler.evaluate(_BARE % max_chars)
        if not isinstance(reply, list):
            return None
        return bare_page(str(reply[0]), unread=int(reply[1]))


def _owner_session(frame: Frame, sessions: Mapping[Frame, CDPSession]) -> CDPSession:
    """Return the session of the process that shows the element of a frame."""
    parent = frame.parent_frame
    while parent is not None and parent not in sessions:
        parent = parent.parent_frame
    return sessions[parent] if parent is not None else next(iter(sessions.values()))


async def _frame_capture(session: CDPSession, owner: CDPSession) -> FrameCapture | None:
    """Return the layout of a frame; None if the frame is gone or does not reply."""
    try:
        async with asyncio.timeout(_SESSION_S):
            tree: Mapping[str, Any] = await session.send("Page.getFrameTree")
            await owner.send("DOM.enable")
            element = await owner.send("DOM.getFrameOwner", {"frameId": tree["frameTree"]["frame"]["id"]})
            reply = await session.send("DOMSnapshot.captureSnapshot", CAPTURE_OPTIONS)
        return FrameCapture(int(element["backendNodeId"]), reply)
    except (Error, TimeoutError, KeyError):
        return None
