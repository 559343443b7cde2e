"""The common base class of all sections of the settings."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section: unknown keys are errors, values cannot be changed, and errors do not quote values."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
