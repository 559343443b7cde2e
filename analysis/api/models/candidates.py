"""Response models for candidates and imported files."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel

from analysis.api.models.common import Answer, fields_of
from analysis.discovery.importing import ImportLine, ImportSummary
from analysis.discovery.rows import ImportResult
from analysis.words.i18n import Translator
from analysis.words.remarks import remark_texts
from crawler.sources.definition import definition_of
from storage.records import Candidate, CandidateForm, CandidateState, Source, SourceKind


class EvidenceAnswer(Answer):
    """The entry of a file that names a site."""

    file: str
    sha256: str
    form: CandidateForm
    line: int
    text: str
    works: list[str]


class CandidateAnswer(BaseModel):
    """A site that files name. `kind` is the kind of source that suits it, `works` what the files name."""

    site: str
    state: CandidateState
    kind: SourceKind
    urls: list[str]
    sitemaps: list[str]
    feeds: list[str]
    search: str
    works: list[str]
    is_cut: bool
    remarks: list[str]
    evidence: list[EvidenceAnswer]
    added: datetime
    decided: datetime | None
    by: str
    reason: str
    source: str

    @classmethod
    def of(cls, candidate: Candidate, texts: Translator) -> Self:
        """Return the answer for a candidate."""
        evidence = [EvidenceAnswer.model_validate(item) for item in candidate.evidence]
        remarks = remark_texts(candidate.remarks, texts)
        fields = fields_of(cls, candidate)
        return cls.model_validate({**fields, "site": candidate.id, "evidence": evidence, "remarks": remarks})


class CandidatePlan(BaseModel):
    """A candidate, and the definition of the source that it would become."""

    candidate: CandidateAnswer
    definition: dict[str, Any]

    @classmethod
    def of(cls, candidate: Candidate, plan: Source, texts: Translator) -> Self:
        """Return the answer for a candidate with its plan."""
        return cls(candidate=CandidateAnswer.of(candidate, texts), definition=definition_of(plan))


class LineAnswer(BaseModel):
    """The result of an entry of a file."""

    number: int
    text: str
    result: ImportResult
    sites: list[str]
    works: list[str]
    remarks: list[str]


class ImportAnswer(BaseModel):
    """The result of a file. `lines` has at most 1,000 entries; `counts` counts all of them by result."""

    name: str
    form: CandidateForm
    sha256: str
    sites: int
    counts: dict[ImportResult, int]
    lines: list[LineAnswer]

    @classmethod
    def of(cls, summary: ImportSummary, lines: Iterable[ImportLine], texts: Translator) -> Self:
        """Return the answer for a file."""
        answers = [
            LineAnswer(
                **{name: getattr(line, name) for name in ("number", "text", "result")},
                sites=list(line.sites),
                works=list(line.works),
                remarks=remark_texts(line.remarks, texts),
            )
            for line in lines
        ]
        return cls.model_validate(
            {**fields_of(cls, summary), "counts": dict(summary.counts), "lines": answers}
        )
