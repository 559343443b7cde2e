"""Forms of platforms: shipped ones are complete, a user's folder adds more, wrong files are reported."""

import pytest

from analysis.notices.forms import BadForm, UnknownForm, find_form, list_forms, read_form

OWN = 'title = { zh = "某平台", en = "P" }\nfields = [{ label = "权利人", value = "{holder}" }]\n'
COLUMNS = 'columns = [{ label = "链接", value = "{url}" }]\n'


def test_shipped_forms_have_titles_in_both_languages():
    forms = {form.name: form for form in list_forms(None)}
    assert forms.keys() == {"app-store", "baidu", "hosting", "search", "toutiao", "wechat"}
    assert all(set(form.title) == {"zh", "en"} for form in forms.values())


def test_file_of_a_folder_adds_or_replaces_a_form(tmp_path):
    (tmp_path / "mine.toml").write_text(OWN + COLUMNS)
    (tmp_path / "baidu.toml").write_text("batch = 7\n" + OWN + COLUMNS)
    assert find_form("mine", tmp_path).title_in("zh") == "某平台"
    assert find_form("baidu", tmp_path).batch == 7
    assert find_form("wechat", tmp_path).batch == 100
    (tmp_path / "wrong.toml").write_text("title")
    assert find_form("mine", tmp_path).name == "mine"
    with pytest.raises(BadForm):
        list_forms(tmp_path)
    with pytest.raises(UnknownForm, match="app-store, baidu, hosting"):
        find_form("none", None)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("title", "not a TOML file"),
        ("\udcff", "not a TOML file"),
        (OWN, r"own\.toml, columns: "),
        (OWN + COLUMNS + "more = 1\n", r"own\.toml, more: there is no such field"),
        ("batch = 0\n" + OWN + COLUMNS, r"own\.toml, batch: it must be 1 or more"),
        (OWN.replace("{holder}", "{password}") + COLUMNS, "unknown name {password}"),
        (OWN.replace("{holder}", "{holder.__class__}") + COLUMNS, "unknown name {holder.__class__}"),
        (OWN.replace("{holder}", "{holder!r}") + COLUMNS, "unknown name"),
        (OWN.replace("{holder}", "{holder:>999999999}") + COLUMNS, "unknown name"),
        (OWN.replace("{holder}", "{") + COLUMNS, r"own\.toml, fields"),
        (OWN.replace("{holder}", "{}") + COLUMNS, "unknown name"),
    ],
)
def test_wrong_file_is_reported_with_its_field(content, problem):
    with pytest.raises(BadForm, match=problem) as error:
        read_form("own.toml", content.encode("utf-8", "surrogateescape"))
    assert "\n" not in str(error.value)
