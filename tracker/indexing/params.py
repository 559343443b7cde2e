"""Fingerprints of the tracker: DNA for a coarse search, letter shingles for a fine one.

DNA tolerates swapped words and homophones within a window. Shingles survive more edits and give exact
positions. A page is looked up by both, and each match records the contribution of each.

A page shares a few dozen shingles of seven letters with passages by chance, so a candidate needs several hits
on one diagonal (:mod:`tracker.comparison.diagonals`). In return, shingles survive edits that leave no longer
run. A page looks up most of the shingles that may be stored (:mod:`fingerprint.indel_seeds`).
docs/benchmarks/hard.md has the figures.
"""

from dataclasses import dataclass, field, replace

from fingerprint.dna import DnaParams, dna_fingerprints, dna_query
from fingerprint.fingerprints import Fingerprints
from fingerprint.indel_seeds import shingle_query
from fingerprint.mixing import in_lowest_share
from fingerprint.shingle import ShingleParams, shingle_fingerprints
from fingerprint.text.letters import Letters
from storage.settings import TrackerSettings
from tracker.similarity.measurements import read_letters

SHORT_LETTERS = 100  # all shingles of a passage with fewer letters are stored
ASKED_SHARE = 0.15  # minimum share of a page's shingles that is looked up
ASKED_DNA = 0.25  # minimum share of a page's DNA that is looked up
ASKED_LETTERS = 400  # up to this length, all fingerprints of a page are looked up; of a longer page, as many
STORED = ShingleParams(size=7, selection=10)
POSTINGS_A_CHARACTER = 0.3  # measured number of stored postings, of DNA and shingles together


@dataclass(frozen=True, slots=True)
class IndexParams:
    """The parameters of both methods.

    Attributes:
        dna, shingle: of the stored fingerprints.
        share: smallest share of a page's shingles that is looked up; does not affect what is stored.
    """

    dna: DnaParams = field(default_factory=DnaParams)
    shingle: ShingleParams = STORED
    share: float = ASKED_SHARE

    @property
    def params_ids(self) -> tuple[str, ...]:
        """The parameter ids that an index of both methods holds, in its order."""
        return self.dna.params_id, self.shingle.params_id

    @property
    def names(self) -> dict[str, str]:
        """Parameter id → the method's short name."""
        return {self.dna.params_id: "dna", self.shingle.params_id: "shingle"}

    @property
    def sizes(self) -> dict[str, int]:
        """Parameter id → letters a window."""
        return {self.dna.params_id: self.dna.size, self.shingle.params_id: self.shingle.size}

    def of_passage(self, letters: Letters) -> dict[str, Fingerprints]:
        """Return the fingerprints to store for a passage, by parameter id; all shingles of a short one.

        Winnowing would select too few in a short passage.
        """
        selection = 1 if len(letters) < SHORT_LETTERS else self.shingle.selection
        return {
            self.dna.params_id: dna_fingerprints(letters, self.dna),
            self.shingle.params_id: shingle_fingerprints(letters, replace(self.shingle, selection=selection)),
        }

    def of_page(self, letters: Letters, *, length: int = 0) -> dict[str, Fingerprints]:
        """Return the fingerprints to look up for a page, by parameter id.

        The shorter a page, the fewer stretches survive edits, and the larger the share of its shingles that
        is looked up.

        Args:
            letters: of the page, or of parts of it.
            length: letters of the whole page; 0: these are all.
        """
        share = min(1.0, ASKED_LETTERS / max(1, length or len(letters)))
        dna = dna_query(letters, self.dna)
        kept_dna = in_lowest_share(dna.hashes, max(ASKED_DNA, share))
        return {
            self.dna.params_id: Fingerprints(dna.hashes[kept_dna], dna.positions[kept_dna]),
            self.shingle.params_id: shingle_query(letters, self.shingle, share=max(self.share, share)),
        }


DEFAULT_PARAMS = IndexParams()


def params_of(settings: TrackerSettings) -> IndexParams:
    """Return the parameters of the settings, with the user's reference if the settings have one.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        UnreadableMeasurement: the file is not a reference.
    """
    if settings.reference is None:
        return DEFAULT_PARAMS
    return IndexParams(dna=DnaParams(reference=read_letters(settings.reference.expanduser())))
