"""The browser tried before it is used: does it keep to the guard, as its switches say?

A browser of another version may not know a switch, and it would not say so. What goes past a proxy without
anybody noticing is WebRTC, over UDP; so a page of our own tries just that, with a socket of ours to hear it.
"""

import asyncio
import socket

from playwright.async_api import Browser

_TRIAL_S = 10.0
_LISTEN_S = 0.1
_ATTEMPT = """async port => {
  const link = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:' + port}]});
  link.createDataChannel('x');
  const over = new Promise(done => { link.onicegatheringstatechange = () =>
    link.iceGatheringState === 'complete' && done() });
  await link.setLocalDescription(await link.createOffer());
  await Promise.race([over, new Promise(done => setTimeout(done, 1500))]);
}"""


async def sends_past_the_guard(browser: Browser) -> bool:
    """Return whether a page can send UDP.

    Raises:
        playwright.async_api.Error, TimeoutError: the browser shows no page at all.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.setblocking(False)
        async with asyncio.timeout(_TRIAL_S):
            page = await browser.new_page()
            await page.evaluate(_ATTEMPT, ear.getsockname()[1])
            await page.close()
        try:
            async with asyncio.timeout(_LISTEN_S):
                await asyncio.get_running_loop().sock_recv(ear, 1)
        except TimeoutError:
            return False
    return True
