"""A forward proxy on loopback, for clients that must not open connections themselves.

``proxy`` is the proxy, ``lookup`` returns the allowed address of a host, ``connectors`` connect to it, and
``http1`` parses messages. Its clients are the browser and, because Scrapy supports only HTTP proxies, the
requests through SOCKS proxies (``socks``, ``forwarder``).
"""
