"""pindna's version, used by the package's metadata, ``pindna --version`` and the user agent."""

VERSION = "0.2.0"
# The crawler's name in robots.txt and logs; patch releases keep it, so that sites' rules stay valid.
PRODUCT = "pindna/" + VERSION.rpartition(".")[0]
