"""How bytes come, safely: resolving, connecting, proxies, a browser, and what of an exchange is kept."""
