"""What every section of the settings has in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section: unknown keys are errors, values stay as read, and errors do not quote them."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
