"""A forward proxy of our own on loopback, for what must not open connections by itself.

``guard`` is the proxy, ``judging`` says where a host may be reached, ``ways`` how it is connected to,
``wire`` reads the heads of messages. The browser gets out through it, and so do requests that go through a
SOCKS proxy (``socks``, ``forwarder``), for Scrapy speaks HTTP proxies only.
"""
