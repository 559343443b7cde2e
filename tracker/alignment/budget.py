"""How much may be aligned for one page, so that time grows no faster than the page does.

A page that says pieces of a passage again and again, or that is cut into pieces too short to be chained, has
more runs and chains than characters to show for them. Of each passage the longest runs and the best chains
come first, so what is left out is the smallest; a few of each passage are always aligned, and a text that
stands in one piece is one chain, so that nothing whole is hidden behind many pieces. What is left out is
counted.
"""

from dataclasses import dataclass

MIN_RUNS, MIN_CHAINS = 20_000, 2_000  # of a page, however short
LETTERS_A_RUN = 8  # no more runs than have room on the page side by side
LETTERS_A_CHAIN = 100
OWN_RUNS, OWN_CHAINS = 100, 4  # of each passage, whatever others have taken


@dataclass(slots=True)
class Budget:
    """What is left for one page, over all passages that it is aligned with.

    Attributes:
        runs: of equal letters, that may still be chained.
        chains: that may still be aligned.
        left_out: runs and chains that were too many.
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
        """How many chains of the next passage may be aligned."""
        return max(self.chains, OWN_CHAINS)

    def take_chains(self, aligned: int, left_out: int) -> None:
        """Take off what was aligned of a passage, and count what was not."""
        self.chains = max(0, self.chains - aligned)
        self.left_out += left_out


def budget_of(letters: int) -> Budget:
    """Return what may be aligned for a page of so many letters.

    >>> budget_of(3_000)
    Budget(runs=20000, chains=2000, left_out=0)
    """
    return Budget(max(MIN_RUNS, letters // LETTERS_A_RUN), max(MIN_CHAINS, letters // LETTERS_A_CHAIN))
