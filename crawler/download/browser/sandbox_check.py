"""Checks before use that a browser does not bypass its proxy.

Another version of the browser may silently ignore a switch. WebRTC could bypass the proxy over UDP, so a test
page tries to reach a local socket.
"""

import asyncio
import socket

from playwright.async_api import Browser

_CHECK_S = 10.0
_LISTEN_S = 0.1
_ATTEMPT = """async port => {
  const link = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:' + port}]});
  link.createDataChannel('x');
  const over = new Promise(done => { link.onicegatheringstatechange = () =>
    link.iceGatheringState === 'complete' && done() });
  await link.setLocalDescription(await link.createOffer());
  await Promise.race([over, new Promise(done => setTimeout(done, 1500))]);
}"""


async def sends_past_proxy(browser: Browser) -> bool:
    """Return whether a page can send UDP.

    Raises:
        playwright.async_api.Error, TimeoutError: the browser shows no page.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        async with asyncio.timeout(_CHECK_S):
            page = await browser.new_page()
            await page.evaluate(_ATTEMPT, receiver.getsockname()[1])
            await page.close()
        try:
            async with asyncio.timeout(_LISTEN_S):
                await asyncio.get_running_loop().sock_recv(receiver, 1)
        except TimeoutError:
            return False
    return True
