"""Find the responses behind the rest of a page that the page itself does not refer to.

A page refers to a frame if it contains the frame's address, and to another reading if both have one address.
For all other responses, only the maker of the package vouches.
"""

from collections.abc import Iterator, Mapping

from analysis.evidence.rereading import ReadingInputs, ReadingPart
from crawler.addresses import canonical
from crawler.readers.frame_question import FramesQuestion
from crawler.readers.pool import CannotRead, Reader


def unreferenced_responses(
    reading: ReadingInputs, contents: Mapping[str, bytes], reader: Reader
) -> list[str]:
    """Return the addresses of responses that the page does not refer to.

    Args:
        reading: the responses that the page was read from.
        contents: the bodies, by SHA-256.
        reader: parses them.
    """
    if not reading.parts or all(response.role == "text" for response in reading.parts):
        return []
    url = reading.parts[0].url
    named = set(_frames_of(reading, contents, reader))
    return [
        response.url
        for response in reading.parts
        if (response.role == "frame" and _canonical_address(response.url) not in named)
        or (
            response is _first_with_role(reading, response.role)
            and response.role != "frame"
            and _canonical_address(response.url) != _canonical_address(url)
        )
    ]


def _first_with_role(reading: ReadingInputs, role: str) -> ReadingPart:
    return next(response for response in reading.parts if response.role == role)


def _frames_of(reading: ReadingInputs, contents: Mapping[str, bytes], reader: Reader) -> Iterator[str]:
    """Yield the frame addresses in the page, read without a browser."""
    for response in reading.parts:
        if response.role == "frame" or response.is_rendered:
            continue
        try:
            frames, _ = reader.ask(FramesQuestion(contents[response.sha256], response.url, response.declared))
        except CannotRead:
            continue
        yield from (_canonical_address(frame.url) for frame in frames)


def _canonical_address(url: str) -> str:
    """Return the canonical form of an address; empty if it has none."""
    try:
        return canonical(url)
    except ValueError:
        return ""
