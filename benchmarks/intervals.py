"""How sure a share is: Wilson's score interval.

Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927. With
p̂ = found / asked::

    (p̂ + z²/2n ± z·√(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n)

It stays within [0, 1] and says something also where all or none were found.
"""

import math
from statistics import NormalDist


def wilson(found: int, asked: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval that holds the true share with a confidence; (0, 1) if nothing was asked.

    Args:
        found: of those asked, at most as many.
        asked: independent trials.
        confidence: in (0, 1).

    >>> [round(bound, 3) for bound in wilson(20, 20)]
    [0.839, 1.0]
    """
    if not asked:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = found / asked, z * z / asked
    middle = share + spread / 2
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4)
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))
