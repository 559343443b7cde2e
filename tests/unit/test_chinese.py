"""Every message in Chinese: no Latin words but names, commands and what is typed as it stands."""

import ast
import importlib
import pkgutil
import re
import string
from html.parser import HTMLParser

import pytest
from support.commands import run_command
from support.latin import forgotten
from support.reports import rich_report
from typer.main import get_command

from analysis.alerts.source_alerts import alert_line
from analysis.reports.readable_csv import render_readable_csv
from analysis.reports.render_html import render_html
from analysis.words import catalogue, labels, reasons
from analysis.words.i18n import translator
from deploy.cli import app
from deploy.cli.demo import demo
from deploy.cli.usage import _PROBLEMS, _USAGE
from storage.records import Alert, utc_now
from system.errors import PindnaError
from system.messages import Message

CHINESE = translator("zh")
CHINA = {"LC_ALL": "zh_CN.UTF-8", "PATH": "/usr/bin:/bin"}


def everything_loaded():
    for name in catalogue.PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


def error_classes():
    everything_loaded()
    waiting = [PindnaError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.template != "{message}":
            yield kind


def label_tables():
    for module in (labels, reasons, demo):
        for name, table in vars(module).items():
            if name.isupper() and isinstance(table, dict):
                yield pytest.param(table, id=f"{module.__name__}.{name}")


def commands(command=None, words=()):
    """Every command and group, as the words that are typed."""
    command = command or get_command(app.application())
    yield words
    for name, part in getattr(command, "commands", {}).items():
        yield from commands(part, (*words, name))


def test_untranslated_words_would_be_noticed():
    assert forgotten("The worker 没有响应 via `pindna up` 或 --help，见 {path}。") == ["The", "worker", "via"]
    assert forgotten("indexed 作品，MongoDB 与 PINDNA_X、robots.txt、tracker.max_file_bytes") == ["indexed"]


def test_no_text_of_the_catalogue_has_latin_words():
    texts = [
        text
        for message in catalogue.load()
        if message.id
        for text in (message.string if isinstance(message.string, tuple) else (message.string,))
    ]
    assert len(texts) > 800
    assert {text: words for text in texts if (words := forgotten(text))} == {}


def test_no_error_has_latin_words():
    lines = {}
    for kind in error_classes():
        fields = {name.partition(".")[0] for _, name, _, _ in string.Formatter().parse(kind.template) if name}
        line = CHINESE.gettext(kind.template)
        for name in fields:
            line = re.sub(r"\{" + name + r"(:[^}]*)?\}", "某", line)
        lines[f"{kind.__module__}.{kind.__qualname__}"] = line
    assert len(lines) > 100
    assert {name: line for name, line in lines.items() if forgotten(line)} == {}


@pytest.mark.parametrize("table", [*label_tables()])
def test_no_label_has_latin_words(table):
    shown = {
        code: labels.word(CHINESE, table, code) for code, label in table.items() if isinstance(label, str)
    }
    assert {code: text for code, text in shown.items() if forgotten(text)} == {}


@pytest.mark.parametrize("words", [*commands()], ids=" ".join)
def test_no_help_has_latin_words(words, tmp_path):
    text = run_command(*words, "--help", environment=CHINA, folder=tmp_path).stdout
    usage, _, rest = text.partition("\n\n")
    assert "--help" in rest
    names = {part for word in (*words, "pindna") for part in word.split("-")}
    names |= set(getattr(get_command(app.application()), "commands", {}))
    listed = re.sub(r"^  [a-z-]+(?=  )", "", rest, flags=re.MULTILINE)  # names of commands
    choices = re.sub(r"\b[a-z0-9_-]+(?:\|[a-z0-9_-]+)+\b|（默认：[^）]*）", "", listed)
    assert forgotten(f"{usage}\n{choices}", names=frozenset(names)) == []


USAGE = [
    ("report --nope", "没有“--nope”这个选项。"),
    ("report --sit x", "没有“--sit”这个选项。相近的名称：--short, --since, --site。"),
    ("quux", "没有“quux”这个命令。"),
    ("scann", "没有“scann”这个命令。相近的命令：scan。"),
    ("source add", "缺少参数 名称|文件.toml：来源的简短名称，或来源文件。"),
    ("check --corpus", "选项 --corpus 需要一个值。"),
    ("source add a http://x --delay abc", "--delay：须为数字。"),
    ("page prune --days 0", "--days：不得小于 1。"),
    ("report --format doc", "--format：“doc”不在可选值之中：html, pdf, xlsx, csv, json。"),
    ("index stats a b", "参数过多：a b。"),
    ("report --codes", "--codes 只用于 --format csv。"),
]


@pytest.mark.parametrize(("line", "told"), USAGE)
def test_usage_errors_are_chinese(line, told, tmp_path):
    done = run_command(*line.split(), environment=CHINA, folder=tmp_path, status=2)
    assert done.stderr.startswith(told)
    typed = frozenset(re.findall("[A-Za-z]+", f"{line} {told}"))
    assert forgotten(done.stderr, names=typed) == []
    assert done.stdout == ""


def test_every_typer_message_is_translated(tmp_path):
    """Typer changes its wording: its messages must still be recognised."""
    english = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    for line, _ in USAGE:
        said = run_command(*line.split(), environment=english, folder=tmp_path, status=2).stderr
        assert not re.search("No such|Missing arg|requires an|Input should|Value error|Got unexpected", said)
    assert len(_USAGE) + len(_PROBLEMS) > 10


class _Texts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.texts, self._skip = [], 0

    def handle_starttag(self, tag, attrs):
        self._skip += tag in {"style", "code"}
        self.texts += [value for name, value in attrs if name in {"aria-label", "data-name", "title"}]

    def handle_endtag(self, tag):
        self._skip -= tag in {"style", "code"}

    def handle_data(self, data):
        if not self._skip:
            self.texts.append(data)


# What the report of the tests has from its pages, sites and profiles.
_OF_THE_REPORT = """
    a b i s g m p x u no route Asia Shanghai news example Incomprehensibilities of titles copy site path
    without an end html http the longest name novel com gone long index A in Latin letters with one word title
    qīng dōng sì https
"""
OF_THE_REPORT = frozenset(_OF_THE_REPORT.split())


def test_report_has_no_latin_words():
    parser = _Texts()
    parser.feed(render_html(rich_report(), language="zh"))
    given = r"\bR\d{8}-\d{6}\b|\b[0-9a-f]{64}\b|\bc\d+\b|a-very-long-name@exampl\S+"
    texts = {re.sub(given, "", text).strip() for text in parser.texts}
    assert len(texts) > 100
    assert {text for text in texts if forgotten(text, names=OF_THE_REPORT)} == set()


def test_table_has_no_latin_words():
    heading, *rows = render_readable_csv(rich_report(), language="zh").splitlines()
    assert forgotten(heading, names=frozenset({"Asia", "Shanghai"})) == []
    assert "最近复查" in heading
    assert any("已确认" in row for row in rows)


@pytest.mark.parametrize("kind", list(labels.ALERTS))
def test_alerts_are_a_line_without_latin_words(kind):
    message = Message("{listed} texts were listed, usually {usual}", {"listed": 3, "usual": 40})
    figures = {"kind": kind, "detail": str(message), "message": message}
    alert = Alert(id="a", source="书站", since=utc_now(), last=utc_now(), scan_id="s", **figures)
    line = alert_line(CHINESE, alert)
    assert line.startswith("提醒（书站）：")
    assert "列出 3 篇正文，平时为 40 篇" in line
    assert forgotten(line) == []


def calls():
    """Yield (file, name of the function, its arguments) of every call in the console."""
    for path in sorted((catalogue.ROOT / "analysis" / "console").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                yield path.stem, name, node.args


def text_in(node):
    """Return the text that an argument translates, if it has no context."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        return node.args[0].value
    return None


def test_no_text_of_the_console_is_both_a_heading_and_a_count():
    counts = {
        text_in(arguments[0])
        for _, name, arguments in calls()
        if name == "Column" and len(arguments) > 1 and getattr(arguments[1], "value", "") == "number"
    }
    headings = {
        text_in(argument)
        for _, name, arguments in calls()
        if name in {"Table", "titled_panel", "section", "Place", "entitle"}
        for argument in arguments
    }
    assert len(counts) > 20
    assert len(headings) > 50
    assert (counts & headings) - {None} == set()


# Short English words with several Chinese ones: the only files that use them without a context.
MEANINGS = {
    "Created at": {"case_evidence", "notice_dialog"},
    "Days": {"hours_field"},
    "Fetched": {"match", "page_evidence"},
    "From": {"hours_field"},
    "Gone": {"statistics"},
    "Name": {"setting_records", "setting_secrets", "source_form", "sources"},
    "Sent": set(),
    "Subject": {"notice_dialog"},
    "Text": {"notice_dialog"},
    "To": {"hours_field"},
}


@pytest.mark.parametrize("word", MEANINGS)
def test_word_with_several_meanings_has_contexts(word):
    used = {
        file
        for file, name, arguments in calls()
        if name in {"gettext", "_", "N_"} and arguments and getattr(arguments[0], "value", "") == word
    }
    assert used <= MEANINGS[word]


def test_context_changes_the_translation():
    texts = catalogue.load()
    plain = {message.id: message.string for message in texts if message.id and not message.context}
    with_context = [message for message in texts if message.context]
    assert len(with_context) > 20
    assert [message.id for message in with_context if plain.get(message.id) == message.string] == []


def test_folder_has_a_single_chinese_name():
    """目录 is a table of contents, or a catalogue of chapters."""
    texts = [message for message in catalogue.load() if re.search(r"[Ff]older|\bDIR\b", str(message.id))]
    assert len(texts) > 20
    assert not [message.id for message in texts if "目录" in str(message.string)]
