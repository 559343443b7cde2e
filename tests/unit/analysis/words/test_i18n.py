import gettext
import importlib
import io
import pkgutil
import re
import string

import pytest
from babel.messages.mofile import read_mo, write_mo

from analysis.words import catalogue
from analysis.words.i18n import LOCALE_DIR, NC_, language_of_environment, translator
from system.errors import PindnaError, ServiceDown, UnknownRecord


def every_error():
    """Return the classes of errors of the program, not those that other tests define."""
    for name in catalogue.PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    waiting, kinds = [PindnaError], []
    while waiting:
        kinds.append(waiting.pop())
        waiting += kinds[-1].__subclasses__()
    return [kind for kind in kinds if not kind.__module__.startswith("tests.")]


def fields(template):
    named = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    return named | set(re.findall(r"%\((\w+)\)", template))


def test_every_marked_text_has_a_chinese_translation():
    missing = catalogue.untranslated_texts(catalogue.load())
    assert not missing, "run `python -m analysis.words.catalogue` and translate:\n" + "\n".join(missing)


def test_every_error_has_a_chinese_template_with_the_same_fields():
    chinese = translator("zh")
    missing, different = [], []
    for error in every_error():
        translated = chinese.gettext(error.template)
        if translated == error.template != "{message}":
            missing.append(f"{error.__module__}.{error.__qualname__}: {error.template}")
        if not fields(translated) <= fields(error.template):
            different.append(f"{error.__qualname__}: {translated}")
    assert not missing, "no Chinese template:\n" + "\n".join(missing)
    assert not different


def test_compiled_catalogues_are_the_compilation_of_their_sources():
    with catalogue.PO_FILE.with_suffix(".mo").open("rb") as file:
        committed = [(message.id, message.string) for message in read_mo(file) if message.id]
    fresh = io.BytesIO()
    write_mo(fresh, catalogue.load())
    fresh.seek(0)
    assert committed == [(message.id, message.string) for message in read_mo(fresh) if message.id]
    assert committed


def test_translations_keep_the_placeholders():
    texts = catalogue.load()
    for message in texts:
        forms = message.id if isinstance(message.id, tuple) else (message.id,)
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id:
            assert not [error for error in message.check(texts) if error], message.id
            assert all(fields(string) == fields(forms[-1]) for string in strings), message.id


def test_errors_are_translated():
    error = ServiceDown(service="MongoDB", address="127.0.0.1:27017", problem="no address is set")
    assert translator("en").error(error) == str(error)
    assert translator("zh").error(error) == (
        "127.0.0.1:27017 上的 MongoDB 没有响应（未设置地址）。请启动该服务，或运行 `pindna doctor`。"
    )


def test_context_chooses_between_two_translations():
    assert translator("zh").gettext(NC_("count", "Works")) == "作品数"
    assert translator("zh").gettext("Works") == "作品"
    assert translator("en").gettext(NC_("count", "Works")) == "Works"


def test_only_fixed_values_are_translated():
    line = translator("zh").error(UnknownRecord(kind="work", name="work"))
    assert line == "库中没有作品“work”。"


def test_values_with_braces_are_unchanged():
    assert "{x}" in translator("zh").error(UnknownRecord(kind="site", name="{x}"))


def test_english_works_without_a_catalogue():
    assert isinstance(
        gettext.translation("pindna", LOCALE_DIR, ["en"], fallback=True), gettext.NullTranslations
    )
    assert translator("en").ngettext("%(num)s page", "%(num)s pages", 1) == "%(num)s page"
    assert translator("zh").gettext("") == ""


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_TW.UTF-8", "LANG": "en_GB.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_locale_chooses_the_language(environment, language):
    assert language_of_environment(environment) == language


def test_templates_and_raised_values_are_extracted_from_sources(tmp_path):
    package = tmp_path / "storage"
    package.mkdir()
    (package / "x.py").write_text(
        'class A(E):\n    template: str = ("one " "two")\n    other = "no"\n\n'
        'def f(): raise A(problem="it is old", name="no")\n\nB = _("marked")\nC = NC_("count", "Works")\n',
        encoding="utf-8",
    )
    page = package / "templates" / "console" / "page.html"
    page.parent.mkdir(parents=True)
    page.write_text('<h1>{{ _("shown") }}{{ pgettext("count", "Pages") }}</h1>', encoding="utf-8")
    texts = {(line, text) for _, line, text in catalogue.marked_texts(tmp_path)}
    assert texts == {
        (2, "one two"),
        (5, "it is old"),
        (7, "marked"),
        (8, "count\x04Works"),
        (1, "shown"),
        (1, "count\x04Pages"),
    }
