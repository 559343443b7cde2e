"""Disjoint sets: group items when pairs of items are known to belong together.

Union-find with path halving. The smallest number of a set is its root, so results do not depend on the order
of joins. Tarjan and van Leeuwen, "Worst-case analysis of set union algorithms", 1984.

Complexity: O(log n) per call, amortised; memory only for numbers that are not their own root.
"""


class DisjointSets:
    """Sets over non-negative numbers; a number that was never joined forms a set alone.

    >>> sets = DisjointSets()
    >>> sets.join(4, 2), sets.join(7, 4)
    (2, 2)
    >>> [sets.root(number) for number in (2, 4, 7, 9)]
    [2, 2, 2, 9]
    """

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def root(self, number: int) -> int:
        """Return the smallest number of the set."""
        parents = self._parents
        while (parent := parents.get(number)) is not None:
            if (above := parents.get(parent)) is not None:
                parents[number] = above
            number = parent
        return number

    def join(self, first: int, second: int) -> int:
        """Merge the sets of two numbers, and return the root of the result."""
        ours, theirs = self.root(first), self.root(second)
        smallest, other = (ours, theirs) if ours < theirs else (theirs, ours)
        if smallest != other:
            self._parents[other] = smallest
        return smallest

    def members(self) -> list[int]:
        """Return the numbers that are not the root of their set, ascending."""
        return sorted(self._parents)
