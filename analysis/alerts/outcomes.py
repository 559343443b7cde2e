"""What becomes of a mailing that is sent: it is through, or not."""

from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.messages import Figure, Message


class NotDelivered(PindnaError):
    """A service did not take a mailing. Data: ``problem``, a message without secrets."""

    template = "The alert was not taken: {problem}."
    exit_status = ExitStatus.DOWN

    @property
    def message(self) -> Message:
        """The reason as it is stored."""
        problem = self.data["problem"]
        return problem if isinstance(problem, Message) else Message(str(problem))


def message_of(error: PindnaError) -> Message:
    """Return what an error says, as it is stored."""
    data: dict[str, Figure] = {
        name: value if isinstance(value, (str, int, float)) else str(value)
        for name, value in error.data.items()
    }
    return Message(error.template, data)
