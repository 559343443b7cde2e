"""The benchmark: measures every fingerprint method and its peers on the same texts in the same run.

``python -m benchmarks --help`` lists the options. The product never imports this package. The package
tests/support provides changed texts, test sites, faults and filled databases.
"""

import sys
from pathlib import Path

_TESTS = str(Path(__file__).parents[1] / "tests")
if _TESTS not in sys.path:
    sys.path.append(_TESTS)
