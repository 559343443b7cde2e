"""A forward proxy on loopback, for clients that must not open connections by themselves.

``proxy`` is the proxy, ``lookup`` says at which address a host may be reached, ``connectors`` connect to it,
``http1`` reads start lines and fields. Its clients are the browser and, as Scrapy speaks HTTP proxies only,
requests that go through a SOCKS proxy (``socks``, ``forwarder``).
"""
