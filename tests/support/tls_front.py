"""A port on loopback that speaks TLS and hands on to a server that does not."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def tls_in_front_of(port: int, certificate: Path) -> Iterator[int]:
    """Have a server of this machine reached by TLS as well; yields the port.

    Args:
        port: where the server listens.
        certificate: file with the certificate to show, and its key.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def serve() -> asyncio.Server:
        return await asyncio.start_server(
            lambda *client: _hand_on(client, port), "127.0.0.1", 0, ssl=context, ssl_shutdown_timeout=0.2
        )

    server = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _hand_on(client: tuple[asyncio.StreamReader, asyncio.StreamWriter], port: int) -> None:
    server = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_pass_on(client[0], server[1]), _pass_on(server[0], client[1]))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.CancelledError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
    with suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()


async def _end(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
