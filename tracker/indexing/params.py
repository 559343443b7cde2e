"""Which fingerprints the tracker uses: DNA as the coarse sieve, letter shingles as the fine one.

DNA shrugs off swapped words and homophones within a window; shingles survive more edits and point at exact
positions. A page is looked up by both, and each match says what each of them contributed.
"""

from dataclasses import dataclass, field, replace

from fingerprint.dna import DnaParams, dna_fingerprints, dna_query
from fingerprint.fingerprints import Fingerprints
from fingerprint.shingle import ShingleParams, shingle_fingerprints
from fingerprint.text.letters import Letters
from storage.settings import TrackerSettings
from tracker.similarity.measurements import read_letters

SHORT_LETTERS = 100  # a text with fewer keeps all its shingles
DENSE_LETTERS = 1_500  # a page with fewer asks for all its shingles


@dataclass(frozen=True, slots=True)
class IndexParams:
    """The parameters of both methods."""

    dna: DnaParams = field(default_factory=DnaParams)
    shingle: ShingleParams = field(default_factory=ShingleParams)

    @property
    def params_ids(self) -> tuple[str, ...]:
        """The parameter ids that an index of both methods holds, in its order."""
        return self.dna.params_id, self.shingle.params_id

    @property
    def names(self) -> dict[str, str]:
        """Parameter id → the method's short name."""
        return {self.dna.params_id: "dna", self.shingle.params_id: "shingle"}

    def of_passage(self, letters: Letters) -> dict[str, Fingerprints]:
        """Return the fingerprints to store for a passage, by parameter id; all shingles of a short one."""
        return {
            self.dna.params_id: dna_fingerprints(letters, self.dna),
            self.shingle.params_id: self._shingles(letters, dense=len(letters) < SHORT_LETTERS),
        }

    def of_page(self, letters: Letters) -> dict[str, Fingerprints]:
        """Return the fingerprints to look up for a page, by parameter id; all shingles of a short one.

        A stored shingle is then found wherever the page holds it, also where edits next to it would have made
        winnowing keep another one: a short page has few stretches that edits have spared.
        """
        return {
            self.dna.params_id: dna_query(letters, self.dna),
            self.shingle.params_id: self._shingles(letters, dense=len(letters) < DENSE_LETTERS),
        }

    def _shingles(self, letters: Letters, *, dense: bool) -> Fingerprints:
        """Return the shingles of a text; winnowing would leave a short one a single chance."""
        selection = 1 if dense else self.shingle.selection
        return shingle_fingerprints(letters, replace(self.shingle, selection=selection))


DEFAULT_PARAMS = IndexParams()


def params_of(settings: TrackerSettings) -> IndexParams:
    """Return the parameters that the settings choose: with a reference of the user's own, if they name one.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableMeasurement: it is no reference.
    """
    if settings.reference is None:
        return DEFAULT_PARAMS
    return IndexParams(dna=DnaParams(reference=read_letters(settings.reference.expanduser())))
