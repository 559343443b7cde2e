"""Messages that lower layers create and user interfaces translate."""

from dataclasses import dataclass, field

Figure = str | int | float


def N_(message: str) -> str:  # noqa: N802 - gettext's customary name
    """Mark a text for translation and return it unchanged; it is translated where it is shown."""
    return message


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence as its English template and the values for its placeholders; empty for no message.

    The template is the text's id in the catalogue, so it must be a literal where a message is created.
    """

    template: str = ""
    data: dict[str, Figure] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.data)


NO_MESSAGE = Message()
