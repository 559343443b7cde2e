"""The result of sending a mailing: delivered or not."""

from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.messages import Figure, Message


class NotDelivered(PindnaError):
    """A service did not accept a mailing.

    Attributes:
        problem: a message without secrets.
    """

    template = "The alert was not delivered: {problem}."
    exit_status = ExitStatus.DOWN

    @property
    def message(self) -> Message:
        """The reason as it is stored."""
        problem = self.data["problem"]
        return problem if isinstance(problem, Message) else Message(str(problem))


def message_of(error: PindnaError) -> Message:
    """Return the message of an error as it is stored."""
    data: dict[str, Figure] = {
        name: value if isinstance(value, (str, int, float)) else str(value)
        for name, value in error.data.items()
    }
    return Message(error.template, data)
