"""The module for regular expressions with possessive groups: ``from system.patterns import re``.

Python before 3.11.5, such as Debian 12's, lets a possessive group take too much: ``(?:ab?c)++`` matches all
of "aca" (gh-106052). Pages would be read wrongly. There the library `regex`, which knows the same syntax,
compiles the patterns.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 11, 5):
    import re
else:
    import regex as re

__all__ = ["re"]
