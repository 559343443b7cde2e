"""Limits on the alignment work for one page, so that time grows no faster than the page.

A page that repeats pieces of a passage, or that is cut into very short pieces, has more runs and chains than
characters. The longest runs and the best chains of each passage come first, so only the smallest are left
out. A few chains of each passage are always aligned. A text that was copied in one piece is one chain, so
many small pieces cannot hide it. Runs and chains that are left out are counted.
"""

from dataclasses import dataclass

MIN_RUNS, MIN_CHAINS = 20_000, 2_000  # budget of any page, even a very short one
LETTERS_A_RUN = 8  # one run per 8 letters: the page has no room for more runs next to each other
LETTERS_A_CHAIN = 100
OWN_RUNS, OWN_CHAINS = 100, 4  # runs and chains that each passage always gets


@dataclass(slots=True)
class Budget:
    """The remaining budget of one page, for all passages that it is aligned with.

    Attributes:
        runs: runs of equal letters that may still be chained.
        chains: chains that may still be aligned.
        left_out: runs and chains beyond the budget.
    """

    runs: int = MIN_RUNS
    chains: int = MIN_CHAINS
    left_out: int = 0

    def take_runs(self, count: int) -> int:
        """Return how many of a passage's runs may be chained."""
        taken = min(count, max(self.runs, OWN_RUNS))
        self.runs = max(0, self.runs - taken)
        self.left_out += count - taken
        return taken

    @property
    def room(self) -> int:
        """The number of chains of the next passage that may be aligned."""
        return max(self.chains, OWN_CHAINS)

    def take_chains(self, aligned: int, left_out: int) -> None:
        """Subtract the aligned chains of a passage, and count the others."""
        self.chains = max(0, self.chains - aligned)
        self.left_out += left_out


def budget_of(letters: int) -> Budget:
    """Return the budget of a page with so many letters.

    >>> budget_of(3_000)
    Budget(runs=20000, chains=2000, left_out=0)
    """
    return Budget(max(MIN_RUNS, letters // LETTERS_A_RUN), max(MIN_CHAINS, letters // LETTERS_A_CHAIN))
