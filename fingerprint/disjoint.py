"""Disjoint sets: merge items into groups, one pair at a time.

Union-find with path halving. The smallest number of a set is its root, so results do not depend on the order
of joins. Tarjan and van Leeuwen, "Worst-case analysis of set union algorithms", 1984.

Complexity: O(log n) per call, amortised. Only numbers that are not the root of their set take memory.
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
        """Return the smallest number of the set that contains a number."""
        parents = self._parents
        while (parent := parents.get(number)) is not None:
            if (grandparent := parents.get(parent)) is not None:
                parents[number] = grandparent
            number = parent
        return number

    def join(self, first: int, second: int) -> int:
        """Merge the sets of two numbers, and return the root of the merged set."""
        smallest, other = sorted((self.root(first), self.root(second)))
        if smallest != other:
            self._parents[other] = smallest
        return smallest

    def non_roots(self) -> list[int]:
        """Return the numbers that are not the root of their set, ascending."""
        return sorted(self._parents)
