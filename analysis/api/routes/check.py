"""``/check``: compare a text, a file or the page at an address now."""

from typing import Annotated

from fastapi import APIRouter, Query, UploadFile
from pydantic import BaseModel, Field

from analysis.actions import check as actions
from analysis.api.models.check import Checked
from analysis.api.routes.common import example
from analysis.api.services import ApiServices, CallerIdentity

router = APIRouter(tags=["check"])


class TextToCheck(BaseModel):
    """A text."""

    model_config = example({"text": "雨夜渡口，青灯如豆……"})

    text: str = Field(min_length=1, max_length=actions.MAX_CHARS)


class PageToCheck(BaseModel):
    """The address of a page. Addresses in inner networks are not requested."""

    model_config = example({"url": "https://copy.example/1.html"})

    url: str = Field(min_length=1, max_length=2_000)


@router.post("/check/text")
def check_text(identity: CallerIdentity, services: ApiServices, body: TextToCheck) -> Checked:
    """Compare a text with the protected works. The text is not stored."""
    return Checked.of(actions.check_text(identity, services.runtime, body.text))


@router.post("/check/url")
def check_url(identity: CallerIdentity, services: ApiServices, body: PageToCheck) -> Checked:
    """Fetch a page and compare it with the protected works. The page is not stored."""
    return Checked.of(actions.check_address(identity, services.runtime, body.url))


@router.post("/check/file")
def check_file(
    identity: CallerIdentity,
    services: ApiServices,
    file: UploadFile,
    name: Annotated[str, Query(max_length=200, description="with the ending; default: the file's")] = "",
) -> Checked:
    """Compare a file with the protected works: a text, a document, a book or a saved page."""
    file_name = name or file.filename or "text.txt"
    data = file.file.read(actions.MAX_FILE_BYTES + 1)
    return Checked.of(actions.check_file(identity, services.runtime, data, name=file_name))
