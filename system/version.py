"""pindna's version: the package's metadata, ``pindna --version`` and the user agent take it from here."""

VERSION = "0.2.0"
# How the crawler calls itself; patch releases keep the name, so that sites' rules for it hold on.
PRODUCT = "pindna/" + VERSION.rpartition(".")[0]
