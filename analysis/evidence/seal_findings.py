"""The findings of a seal check, and their sentences for users."""

from collections.abc import Mapping
from typing import Literal

from analysis.words.i18n import N_, translator
from system.errors import PindnaError

SealState = Literal["good", "note", "bad"]


class SealBroken(PindnaError):
    """A seal contradicts itself or the sealed files.

    Attributes:
        problem: the contradiction.
    """

    template = "The seal is broken: {problem}."


_LINES: Mapping[str, str] = {
    "signed": N_("Package {number} was signed at {made} with the trusted key {key}."),
    "signed-by-unknown": N_(
        "Package {number} was signed at {made} with the key {key}. Compare this fingerprint with "
        "one that you received through another channel."
    ),
    "timestamped": N_(
        "Timestamped at {time} by {authority}, with the trusted root certificate {root} ({fingerprint})."
    ),
    "timestamped-by-unknown": N_(
        "Timestamped at {time} by {authority}, if you trust the root certificate {root} in the "
        "package (SHA-256 {fingerprint})."
    ),
    "not-timestamped": N_("Not timestamped: only the signer vouches for the time of signing."),
    "authority-failed": N_(
        "The timestamp authority {authority} returned no timestamp when the package was made."
    ),
    "included": N_(
        "Records in the evidence log {log}: {count} ({size} entries, signed at {at}, root {root})."
    ),
    "erased": N_(
        "The content of {count} of these records is not included: it was deleted, or personal "
        "data in it were erased."
    ),
    "unlogged": N_("Records that were not in the evidence log yet: {count}."),
    "missing": N_("The seal lacks the file {file}."),
    "broken": SealBroken.template,
    "bad-timestamp": N_("The timestamp of {authority} is invalid: {problem}."),
    "bad-root": N_("The root of the evidence log is not signed with the key of the seal."),
    "not-included": N_("The record {record} in the package differs from the evidence log."),
}


class SealFinding:
    """A finding about a seal. :meth:`analysis.words.i18n.Translator.message` translates it.

    Attributes:
        code: kind of the finding.
        state: ``good``; ``note``: correct, but worth reading; ``bad``: the seal is broken.
        data: values for its sentence.
    """

    __slots__ = ("code", "data", "state")

    def __init__(self, code: str, state: SealState, **data: object) -> None:
        self.code, self.state, self.data = code, state, data

    def __repr__(self) -> str:
        return f"SealFinding({self.code!r}, {self.state!r}, {self.data!r})"

    @property
    def template(self) -> str:
        """Its sentence in English."""
        return _LINES[self.code]

    def line(self) -> str:
        """Return the sentence in the reader's language."""
        return translator().message(self)
