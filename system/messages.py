"""Sentences of ours that lower layers make and upper ones word in the reader's language."""

from dataclasses import dataclass, field

Figure = str | int | float


def N_(message: str) -> str:  # noqa: N802 - gettext's customary name
    """Mark a text for translation and return it as it is; it is translated where it is shown."""
    return message


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence as its English template, and what is put into it; empty for none.

    The template is the text's id in the catalogue, so it is written out where a message is made.
    """

    template: str = ""
    data: dict[str, Figure] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.data)


NO_MESSAGE = Message()
