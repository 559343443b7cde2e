"""Messages that lower layers create and that user interfaces translate."""

from dataclasses import dataclass, field

Figure = str | int | float


def N_(message: str) -> str:  # noqa: N802 - gettext's customary name
    """Mark a text for translation, and return it unchanged. User interfaces translate it."""
    return message


@dataclass(frozen=True, slots=True)
class Message:
    """An English template and the values for its placeholders. An empty template means no message.

    The template is the message id in the catalogue of translations. So code that creates a message must
    contain the template as a literal.
    """

    template: str = ""
    data: dict[str, Figure] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.data)


NO_MESSAGE = Message()
