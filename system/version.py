"""pindna's version, for the package's metadata, ``pindna --version`` and the user agent."""

VERSION = "0.2.0"
# The crawler's name in robots.txt and logs. Patch releases keep it, so that the rules of sites stay valid.
PRODUCT = "pindna/" + VERSION.rpartition(".")[0]
