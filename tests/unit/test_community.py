"""The files that strangers meet first: forms, citation, image builds."""

import json
import re
from pathlib import Path

import pytest
import yaml

from system.version import VERSION

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_form_of_an_issue_is_complete_and_in_both_languages(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "labels", "body"} == form.keys()
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields)
    assert any(field.get("validations", {}).get("required") for field in fields)
    labels = [form["name"], form["description"], *(field["attributes"]["label"] for field in fields)]
    assert [
        label for label in labels if not re.search(r"[a-z]", label) or not re.search("[一-龥]", label)
    ] == []


def test_citation_has_the_version():
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["version"] == VERSION
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()


def test_release_notes_have_the_same_parts_in_both_languages():
    parts = [
        re.findall(r"^#+ ", read(f".github/release-notes.{language}.md"), re.MULTILINE)
        for language in ("en", "zh")
    ]
    assert parts[0] == parts[1]


def test_image_is_built_for_both_machines_from_stages_that_exist():
    bake, dockerfile = json.loads(read("deploy/docker/bake.json")), read("deploy/docker/Dockerfile")
    slim, browser = bake["target"]["slim"], bake["target"]["browser"]
    assert slim["platforms"] == ["linux/amd64", "linux/arm64"]
    assert {slim["target"], browser["target"]} < set(re.findall(r" AS (\w+)$", dockerfile, re.MULTILINE))
    assert slim["args"].keys() == set(re.findall(r"^ARG (\w+)", dockerfile, re.MULTILINE))
    assert {name: f"${{{name}}}" for name in slim["args"]} == slim["args"]
    assert bake["variable"]["VERSION"]["default"] == VERSION
    assert f"ARG VERSION={VERSION}\n" in dockerfile
    assert f"ARG BASE={bake['variable']['BASE']['default']}\n" in dockerfile
