"""A SOCKS server (RFC 1928, 1929, and version 4) that remembers where it was asked to connect to."""

import asyncio
import ipaddress
import struct
import threading
from contextlib import contextmanager, suppress

_NO_METHOD = 0xFF


class SocksServer:
    """Connects for others, on loopback, in a thread of its own.

    Attributes:
        users: name → password; without any, everybody is let in.
        asked: (host, port) of every CONNECT, a name where one was sent.
        tried: (user, password) of every attempt.
        reply: what is answered instead of connecting, a code of RFC 1928 (or of version 4).
    """

    def __init__(self, users=None, reply=None):
        self.users, self.reply = users or {}, reply
        self.asked, self.tried = [], []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self.place = f"127.0.0.1:{self.port}"

    def _do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def close(self):
        self._do(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self):
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader, writer):
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                version = (await reader.readexactly(1))[0]
                far = await (self._greet_5 if version == 5 else self._greet_4)(reader, writer)
                if far is not None:
                    pumps = {
                        asyncio.ensure_future(_pump(reader, far[1])),
                        asyncio.ensure_future(_pump(far[0], writer)),
                    }
                    try:
                        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        for pump in pumps:
                            pump.cancel()
                        await asyncio.gather(*pumps, return_exceptions=True)
                        far[1].close()
        finally:
            writer.close()

    async def _greet_5(self, reader, writer):
        methods = await reader.readexactly((await reader.readexactly(1))[0])
        wanted = 2 if self.users else 0
        writer.write(bytes([5, wanted if wanted in methods else _NO_METHOD]))
        if wanted not in methods or (wanted and not await self._lets_in(reader, writer)):
            await writer.drain()
            return None
        _, _, _, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
        (port,) = struct.unpack(">H", await reader.readexactly(2))
        return await self._connect(host, port, writer, head=b"\x05", tail=b"\x00\x01" + bytes(6), done=0)

    async def _lets_in(self, reader, writer):
        await reader.readexactly(1)
        user = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        password = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        self.tried.append((user, password))
        good = self.users.get(user) == password
        writer.write(bytes([1, 0 if good else 1]))
        return good

    async def _greet_4(self, reader, writer):
        _, port, packed = struct.unpack(">BHI", await reader.readexactly(7))
        user = (await reader.readuntil(b"\0"))[:-1].decode()
        self.tried.append((user, ""))
        host = str(ipaddress.ip_address(packed))
        return await self._connect(host, port, writer, head=b"\x00", tail=bytes(6), done=0x5A)

    async def _connect(self, host, port, writer, *, head, tail, done):
        self.asked.append((host, port))
        far = None if self.reply is not None else await asyncio.open_connection(host, port)
        writer.write(head + bytes([done if self.reply is None else self.reply]) + tail)
        await writer.drain()
        return far


async def _pump(reader, writer):
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()


@contextmanager
def socks_server(users=None, **options):
    server = SocksServer(users, **options)
    try:
        yield server
    finally:
        server.close()
