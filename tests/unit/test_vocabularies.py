"""Every value of a closed vocabulary is wherever people, programs and style sheets need it.

One registry, one test for each need: a new value fails here by name until it has its label in both languages,
its tone or colour, its exit status, its choice in filters and its mention in the docs.
"""

import ast
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main

from analysis.accounts.permissions import PERMISSIONS_OF
from analysis.alerts import wording
from analysis.api.routes import audit, candidates, cases, matches, notices, pages, works
from analysis.cases.deadlines import days_of_states
from analysis.console.parts import tones
from analysis.discovery.rows import IMPORT_RESULTS
from analysis.evidence.contents import ProblemKind
from analysis.evidence.recomputing import RESULTS
from analysis.words import labels, reasons
from analysis.words.i18n import CONTEXT_END, translator
from crawler import reasons as crawl_reasons
from crawler.pages.importing import RECORD_RESULTS
from crawler.sources.url_list import LineResult
from deploy.cli.app import application
from deploy.cli.outcomes import FOUND_VERDICTS
from fingerprint.text.disguises import DISGUISES
from storage import records
from storage.frontier.interface import EntryKind
from storage.records import VERDICTS, evidence_log, meaning_of
from storage.settings.results import AnalysisSettings
from system.exit_status import ExitStatus

ROOT = Path(__file__).parents[2]
CHINESE, ENGLISH = translator("zh"), translator("en")
JSON, GLOSSARY, EXPLAINED = "docs/json.md", "docs/glossary.md", "docs/verdicts.md"
PLACEHOLDER = "–"  # the label of an empty value, in every language


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """A closed set of codes and where each of them is needed.

    Attributes:
        kind: the Literal in ``storage.records``, or another one.
        values: its codes.
        labels: code → English label; None: people see no word for it.
        tones: code → tone of its badge in the console; None: it has no badge.
        badge: whether the HTML report shows it as a badge, which is a class of its style sheet.
        api: a route's function and its parameter that filters by it.
        cli: a command and its option that filters by it.
        docs: pages that list every code.
    """

    kind: str
    values: tuple[str, ...] = ()
    labels: Mapping[str, str] | None = None
    tones: Mapping[str, str] | None = None
    badge: bool = False
    api: tuple[tuple[typing.Any, str], ...] = ()
    cli: tuple[tuple[str, str], ...] = ()
    docs: tuple[str, ...] = (JSON,)

    @property
    def codes(self):
        """Return the codes; empty ones, that stand for nothing, are left out."""
        return tuple(filter(None, self.values or typing.get_args(getattr(records, self.kind))))


REASONS = {
    value for name, value in vars(crawl_reasons).items() if name.isupper() and isinstance(value, str)
} | set(crawl_reasons.READING_REASONS)

VOCABULARIES = (
    Vocabulary(
        kind="Verdict",
        labels=labels.VERDICTS,
        tones=tones.VERDICT_TONES,
        badge=True,
        api=((matches.list_matches, "verdict"), (cases.list_cases, "verdict"), (pages.list_pages, "verdict")),
        cli=(("review list", "--verdict"), ("case list", "--verdict")),
        docs=(JSON, GLOSSARY, EXPLAINED, "docs/decisions/0046-exit-statuses.md"),
    ),
    Vocabulary(
        kind="ReviewName",
        labels=labels.REVIEWS,
        tones=tones.REVIEW_TONES,
        badge=True,
        api=((matches.list_matches, "review"),),
        cli=(("review list", "--state"),),
        docs=(JSON,),
    ),
    Vocabulary(kind="DecisionState", labels=labels.REVIEWS, docs=(JSON, GLOSSARY, EXPLAINED)),
    Vocabulary(kind="ReviewState", labels=labels.REVIEWS, docs=(JSON, GLOSSARY, EXPLAINED)),
    Vocabulary(kind="Disguise", values=tuple(DISGUISES), labels=labels.DISGUISES, docs=(JSON, GLOSSARY)),
    Vocabulary(kind="LicenceState", labels=labels.LICENCES, docs=(JSON, EXPLAINED)),
    Vocabulary(kind="Precedence", labels=labels.PRECEDENCES, docs=(JSON, EXPLAINED)),
    Vocabulary(kind="MatchPart", labels=labels.MATCH_PARTS),
    Vocabulary(kind="PageState", labels=labels.PAGE_STATES, api=((pages.list_pages, "state"),), docs=(JSON,)),
    Vocabulary(kind="PageKind", labels=labels.PAGE_KINDS),
    Vocabulary(kind="PageEventKind", labels=labels.PAGE_EVENTS, docs=(JSON, "docs/sources.md")),
    Vocabulary(kind="RestReason", labels=labels.REST_REASONS, docs=(EXPLAINED,)),
    Vocabulary(kind="UnreadReason", labels=labels.UNREAD, docs=(EXPLAINED,)),
    Vocabulary(kind="Reason", values=tuple(sorted(REASONS)), labels=reasons.REASONS, docs=()),
    Vocabulary(kind="VisitState", labels=labels.VISIT_STATES),
    Vocabulary(kind="LookState", labels=labels.LOOKS, badge=True, docs=(JSON, GLOSSARY)),
    Vocabulary(
        kind="WatchState",
        labels=labels.WATCH_STATES,
        tones=tones.WATCH_TONES,
        cli=(("watch list", "--state"),),
        docs=(JSON,),
    ),
    Vocabulary(
        kind="CaseState",
        labels=labels.CASE_STATES,
        tones=tones.CASE_TONES,
        api=((cases.list_cases, "state"),),
        cli=(("case list", "--state"),),
        docs=(EXPLAINED, "docs/api.md"),
    ),
    Vocabulary(kind="EventKind", labels=labels.EVENTS, api=((audit.list_audit, "kind"),), docs=(JSON,)),
    Vocabulary(
        kind="NoticeState",
        labels=labels.NOTICE_STATES,
        tones=tones.NOTICE_TONES,
        api=((notices.list_notices, "state"),),
        cli=(("notice list", "--state"),),
        docs=(JSON, "docs/notices.md"),
    ),
    Vocabulary(kind="NoticeKind", labels=labels.NOTICE_KINDS, docs=("docs/notices.md",)),
    Vocabulary(kind="ContactRole", labels=labels.CONTACT_ROLES, docs=("docs/notices.md",)),
    Vocabulary(kind="DocumentKind", labels=labels.DOCUMENT_KINDS),
    Vocabulary(kind="OccasionKind", labels=wording.KINDS, docs=("docs/alerts.md",)),
    Vocabulary(kind="Cadence", labels=labels.CADENCES, docs=("docs/settings.md", "docs/alerts.md")),
    Vocabulary(kind="MailingState", labels=labels.MAILING_STATES, tones=tones.MAILING_TONES),
    Vocabulary(kind="SourceKind", labels=labels.SOURCE_KINDS, docs=("docs/sources.md",)),
    Vocabulary(kind="SearchForm", labels=labels.SEARCH_FORMS, docs=("docs/sources.md",)),
    Vocabulary(kind="AlertKind", labels=labels.ALERTS),
    Vocabulary(kind="CrawlState", labels=labels.CRAWL_STATES, tones=tones.CRAWL_TONES, badge=True),
    Vocabulary(kind="ScanStatus", labels=labels.SCAN_STATES, tones=tones.SCAN_TONES, badge=True),
    Vocabulary(kind="Trigger", labels=labels.TRIGGERS),
    Vocabulary(kind="Fault", labels=labels.FAULTS),
    Vocabulary(kind="CrawlEnd", labels=labels.LEFT | {"finished": labels.CRAWL_STATES["done"]}, docs=(JSON,)),
    Vocabulary(kind="WorkKind", labels=labels.WORK_KINDS, docs=("docs/sources.md",)),
    Vocabulary(
        kind="WorkRole", labels=labels.WORK_ROLES, cli=(("corpus list", "--role"),), docs=(JSON, GLOSSARY)
    ),
    Vocabulary(
        kind="WorkStatus",
        labels=labels.WORK_STATES,
        tones=tones.WORK_TONES,
        api=((works.list_works, "status"),),
    ),
    Vocabulary(kind="Role", labels=labels.ROLES, docs=(GLOSSARY, "docs/accounts.md")),
    Vocabulary(kind="Permission", docs=("docs/accounts.md",)),
    Vocabulary(kind="EnvironmentFinding", labels=labels.ENVIRONMENT_FINDINGS),
    Vocabulary(kind="LoggedKind", values=evidence_log.LOGGED_KINDS, labels=labels.LOGGED_KINDS, docs=(JSON,)),
    Vocabulary(
        kind="StatementKind", values=evidence_log.STATEMENT_KINDS, labels=labels.STATEMENTS, docs=(JSON,)
    ),
    Vocabulary(kind="Result", values=RESULTS, labels=labels.RECOMPUTED, docs=(JSON,)),
    Vocabulary(kind="ProblemKind", values=typing.get_args(ProblemKind), labels=labels.PACKAGE_PROBLEMS),
    Vocabulary(kind="EntryKind", values=typing.get_args(EntryKind), labels=labels.ENTRY_KINDS, docs=(JSON,)),
    Vocabulary(
        kind="CandidateState",
        labels=labels.CANDIDATE_STATES,
        api=((candidates.list_candidates, "state"),),
        cli=(("source candidates", "--state"),),
        docs=("docs/import.md",),
    ),
    Vocabulary(kind="CandidateForm", labels=labels.CANDIDATE_FORMS, docs=(JSON,)),
    Vocabulary(kind="ImportResult", values=IMPORT_RESULTS, labels=labels.IMPORT_LINES, docs=(JSON,)),
    Vocabulary(kind="LookupStep", labels=labels.LOOKUP_STEPS, docs=(JSON,)),
    Vocabulary(kind="LookupState", labels=labels.LOOKUP_STATES, docs=(JSON,)),
    Vocabulary(kind="ProposalKind", labels=labels.PROPOSAL_KINDS, docs=(JSON,)),
    Vocabulary(kind="ProposalSubject", labels=labels.PROPOSAL_SUBJECTS, docs=(JSON,)),
    Vocabulary(kind="CapturedForm", labels=labels.CAPTURED_FORMS, docs=(JSON,)),
    Vocabulary(kind="RecordResult", values=RECORD_RESULTS, labels=labels.PAGE_IMPORTS, docs=(JSON,)),
    Vocabulary(kind="LineResult", values=typing.get_args(LineResult), labels=labels.LIST_LINES, docs=()),
)
# Codes that nobody sees as a word: numbers, formats and what is said in a sentence.
WITHOUT_WORDS = {
    "AddedRole",
    "CaptureKind",
    "HomophoneKind",
    "Outcome",
    "PageStanding",
    "Precision",
    "UnreadUnit",
}


def needing(name):
    """Parametrise over the vocabularies that need something."""
    chosen = [vocabulary for vocabulary in VOCABULARIES if getattr(vocabulary, name)]
    return pytest.mark.parametrize("vocabulary", chosen, ids=lambda vocabulary: vocabulary.kind)


def each(name):
    """Parametrise over the vocabularies with each place where one is needed."""
    rows = [(vocabulary, place) for vocabulary in VOCABULARIES for place in getattr(vocabulary, name)]
    return pytest.mark.parametrize(
        ("vocabulary", "place"),
        [pytest.param(*row, id=f"{row[0].kind}-{place_name(row[1])}") for row in rows],
    )


def place_name(place):
    """Return a place as the name of a test case."""
    if isinstance(place, str):
        return place
    first, second = place
    return f"{first if isinstance(first, str) else first.__name__} {second}"


def literals(annotation):
    """Return the values of all literals in an annotation."""
    if typing.get_origin(annotation) is typing.Literal:
        return set(typing.get_args(annotation))
    return set().union(*(literals(inner) for inner in typing.get_args(annotation)))


def style(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_vocabulary_of_the_records_is_registered():
    kinds = {name for name in records.__all__ if typing.get_origin(getattr(records, name)) is typing.Literal}
    assert kinds == {vocabulary.kind for vocabulary in VOCABULARIES} & kinds | WITHOUT_WORDS


@needing("labels")
def test_every_code_has_an_english_label(vocabulary):
    assert [code for code in vocabulary.codes if not vocabulary.labels.get(code)] == []


@needing("labels")
def test_every_code_has_a_chinese_label(vocabulary):
    words = {code: label for code, label in vocabulary.labels.items() if code in vocabulary.codes}
    assert [code for code, word in words.items() if CHINESE.gettext(word) in (word, PLACEHOLDER)] == []
    plain = {code: word.rpartition(CONTEXT_END)[2] for code, word in words.items()}  # without its context
    assert {code: ENGLISH.gettext(word) for code, word in words.items()} == plain


@needing("tones")
def test_every_code_has_a_tone_that_the_console_draws(vocabulary):
    sheet = style("analysis/console/static/console.css")
    assert vocabulary.tones.keys() == set(vocabulary.codes)
    assert [tone for tone in vocabulary.tones.values() if tone and f".badge.{tone} " not in sheet] == []


@needing("badge")
@pytest.mark.parametrize("sheet", ["report.css", "dark.css"])
def test_every_code_has_a_class_in_the_report(vocabulary, sheet):
    text = style(f"analysis/words/templates/{sheet}")
    assert [code for code in vocabulary.codes if not re.search(rf"\.badge\.{code}\b", text)] == []


def test_every_verdict_has_a_cell_in_the_map_of_the_report():
    sheet = style("analysis/words/templates/drawing.css")
    assert [code for code in VERDICTS if not re.search(rf"svg \.cell\.{code}\b", sheet)] == []


@each("api")
def test_api_filters_by_every_code(vocabulary, place):
    route, parameter = place
    assert set(vocabulary.codes) <= literals(typing.get_type_hints(route)[parameter])


@each("cli")
def test_command_filters_by_every_code(vocabulary, place):
    words, option = place
    command = typer.main.get_command(application())
    for word in words.split():
        command = command.commands[word]
    name = next(param.name for param in command.params if option in param.opts)
    assert set(vocabulary.codes) <= literals(typing.get_type_hints(command.callback)[name])


@each("docs")
def test_page_of_the_docs_mentions_every_code(vocabulary, place):
    text = style(place)
    assert [code for code in vocabulary.codes if f"`{code}`" not in text] == []


def test_every_verdict_has_an_exit_status():
    found = {verdict for verdict in VERDICTS if meaning_of(verdict).is_taken}
    assert set(FOUND_VERDICTS) == found
    decision = style("docs/decisions/0046-exit-statuses.md")
    assert [verdict for verdict in VERDICTS if f"`{verdict}`" not in decision] == []
    assert ExitStatus.FOUND == 1


def test_every_state_of_a_case_has_its_days():
    assert days_of_states(AnalysisSettings()).keys() == set(records.CASE_STATES)


def test_every_role_has_its_permissions():
    assert PERMISSIONS_OF.keys() == set(records.ROLES)
    assert set().union(*PERMISSIONS_OF.values()) == set(records.PERMISSIONS)


PACKAGES = ("analysis", "crawler", "deploy", "fingerprint", "storage", "system", "tracker")
WHERE_VERDICTS_ARE = ROOT / "storage" / "records" / "verdicts.py"
OTHER_VOCABULARIES = ("licence", "standing", "site")  # that share a word with verdicts, by their field


def compared_labels(tree):
    """Yield line and source of each comparison, or case of a match, with the label of a verdict."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            is_other = any(
                part.id in OTHER_VOCABULARIES for part in ast.walk(node) if isinstance(part, ast.Name)
            )
            is_other |= any(
                part.attr in OTHER_VOCABULARIES for part in ast.walk(node) if isinstance(part, ast.Attribute)
            )
            literal = [
                side for side in sides if isinstance(side, ast.Constant | ast.Tuple | ast.Set | ast.List)
            ]
        elif isinstance(node, ast.match_case):
            literal, is_other = [node.pattern], False
        else:
            continue
        texts = {part.value for side in literal for part in ast.walk(side) if isinstance(part, ast.Constant)}
        if texts & set(VERDICTS) and not is_other:
            yield ast.unparse(node)


def test_no_code_compares_with_a_single_verdict_label():
    found = {
        f"{path.relative_to(ROOT)}: {source}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if path != WHERE_VERDICTS_ARE
        for source in compared_labels(ast.parse(path.read_text("utf-8")))
    }
    assert not found, "use a set of storage.records.verdicts, such as FOUND, COUNTED, LEADS or TAKEN"


@pytest.mark.parametrize(
    "code",
    [
        "match.verdict == 'common'",
        "page.verdict not in {None, 'clear'}",
        "row['verdict'] != 'clear'",
        "match verdict:\n    case 'copy' | 'partial':\n        pass",
    ],
)
def test_comparison_with_a_single_verdict_label_is_noticed(code):
    assert len(list(compared_labels(ast.parse(code)))) == 1


def test_comparison_with_a_licence_label_is_allowed():
    assert not list(compared_labels(ast.parse("match.licence == 'licensed'")))


def test_sets_of_verdicts_follow_from_their_meanings():
    assert records.FOUND == ("copy", "partial", "reworded", "licensed", "quote", "common")
    assert records.COUNTED == ("copy", "partial", "reworded", "licensed", "quote")
    assert records.COPIED == ("copy", "partial", "licensed", "quote")
    assert (records.UNCOUNTED, records.PERMITTED) == (("common",), ("licensed",))
