"""The module ``re`` for regular expressions with possessive groups: ``from system.patterns import re``.

Python before 3.11.5, as in Debian 12, has a bug in possessive groups: ``(?:ab?c)++`` matches all of "aca"
(gh-106052). So pages would be read wrongly. On these versions, ``re`` is the library `regex`, which has the
same syntax.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 11, 5):
    import re
else:
    import regex as re

__all__ = ["re"]
