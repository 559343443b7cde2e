"""Letters about several works: each work is named with its proof, and split letters lose nothing."""

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.letters import EARLIER, HOLDER, PLACE, WORK, document, facts_with, other_subject, place_at
from support.workbooks import cells

from analysis.notices.address_list import address_file_name, address_workbook
from analysis.notices.documents import BadTemplate, write_letter
from analysis.notices.facts import AddressList, missing_facts, works_without
from analysis.notices.letter_files import subject_of
from analysis.notices.splitting import most_serious, split_letters

KINDS = "infringement", "dmca", "reminder", "counsel"


def site_facts(kind="infringement", *others, **fields):
    """Return the facts of a letter about the usual work and others."""
    facts = facts_with(kind, **fields)
    return replace(facts, subjects=(*facts.subjects, *(others or (other_subject(2), other_subject(3)))))


def letter_of(facts, **options):
    return write_letter(facts, timezone="Asia/Shanghai", **options)


def places(count, name="p"):
    return tuple(place_at(f"https://www.copy.example/{name}/{number}") for number in range(count))


@pytest.mark.parametrize("kind", KINDS)
def test_letter_names_every_work_with_its_addresses(kind):
    text = letter_of(site_facts(kind)).text()
    for subject in site_facts(kind).subjects:
        assert subject.work.title in text
        assert all(f"<{place.url}>" in text for place in subject.infringements)


def test_letter_proves_the_title_to_every_work():
    proofs = [replace(document("title", f"{number}.pdf"), work_id=number) for number in (1, 2)]
    facts = site_facts(holder=replace(HOLDER, documents=(HOLDER.documents[0], *proofs)))
    assert missing_facts(facts) == ("title",)
    assert works_without(facts) == {"title": ("雾港来信 3",)}
    marked = letter_of(facts, is_draft=True).text()
    assert marked.count("【待补：") == 1
    assert {"1.pdf", "2.pdf"} <= {proof.name for proof in facts.documents}


def test_letter_of_an_agent_names_the_holder_of_the_works():
    unknown = replace(WORK, holder=None)
    agent = replace(
        HOLDER, name="青灯代理", documents=(*HOLDER.documents, document("authorisation", "授权.pdf"))
    )
    facts = site_facts("infringement", other_subject(2), work=unknown, holder=agent)
    text = letter_of(facts).text()
    assert "登记的权利人为青灯文化" in text
    assert "None" not in text
    assert not site_facts(holder=replace(HOLDER, name="青灯文化 ")).acts_for_another


def test_work_without_an_address_is_a_missing_fact():
    facts = site_facts("infringement", other_subject(2, infringements=()))
    assert works_without(facts) == {"infringements": ("雾港来信 2",)}
    assert works_without(facts_with(infringements=())) == {}  # a letter about one work needs no titles


def test_reminder_names_every_earlier_notice_with_its_works():
    later = replace(EARLIER, id="n2", number=2)
    facts = site_facts("reminder", other_subject(2, earlier=later), other_subject(3, earlier=later))
    text = letter_of(facts).text()
    assert "传播《青灯渡》一事，向贵方发出《侵权通知书》（编号：n1）" in text
    assert "传播《雾港来信 2》《雾港来信 3》一事，向贵方发出《侵权通知书》（编号：n2）" in text
    lacking = site_facts("reminder", other_subject(2, earlier=None))
    assert works_without(lacking) == {"earlier-notice": ("雾港来信 2",)}


@pytest.mark.parametrize("kind", KINDS)
def test_long_list_of_addresses_belongs_to_the_letter(kind):
    listed = AddressList(file_name="清单.xlsx", sha256="ef" * 32)
    text = letter_of(site_facts(kind, address_list=listed)).text()
    assert "清单.xlsx" in text
    assert PLACE.url not in text
    assert all(subject.work.title in text for subject in site_facts(kind).subjects)
    assert kind == "reminder" or listed.sha256 in text


def test_workbook_lists_every_address_as_text():
    hostile = place_at("https://www.copy.example/例?=1+1", title="=HYPERLINK(1)", sha256="ab" * 32)
    facts = site_facts("infringement", other_subject(2, infringements=(hostile,)))
    heading, *rows = cells(io.BytesIO(address_workbook(facts, timezone="Asia/Shanghai")))
    assert [text for _, text in heading[:4]] == ["序号", "作品", "作者", "网址"]
    assert [(row[0][1], row[1][1], row[3][1]) for row in rows] == [
        ("1", "青灯渡", PLACE.url),
        ("2", "雾港来信 2", "https://www.copy.example/%E4%BE%8B?=1+1"),
    ]
    assert rows[1][4] == ("inlineStr", "=HYPERLINK(1)")
    assert address_file_name(facts) == "侵权网址清单-n3.xlsx"


def test_subject_of_the_mail_counts_the_works():
    facts = site_facts()
    assert "《青灯渡》等 3 部作品" in subject_of(facts, letter_of(facts))
    assert "“青灯渡” and 2 more" in subject_of(site_facts("dmca"), letter_of(site_facts("dmca")))


def test_custom_template_for_a_single_work_is_refused_for_several(tmp_path):
    (tmp_path / "infringement.zh.html").write_text("<h1>函</h1><p>{{ facts.work.title }}</p>")
    assert "青灯渡" in letter_of(facts_with(), own_templates=tmp_path).text()
    with pytest.raises(BadTemplate, match="雾港来信 2, 雾港来信 3"):
        letter_of(site_facts(), own_templates=tmp_path)


@given(counts=st.lists(st.integers(0, 12), min_size=1, max_size=6), most=st.integers(1, 8))
@settings(max_examples=60)
def test_split_letters_list_every_address_once(counts, most):
    subjects = [
        other_subject(number, infringements=places(count, str(number)), left_out=number)
        for number, count in enumerate(counts, 2)
    ]
    facts = replace(facts_with(), subjects=tuple(subjects))
    letters = split_letters(facts, most)
    assert [place for letter in letters for place in letter.infringements] == list(facts.infringements)
    assert max(len(letter.infringements) for letter in letters) <= most
    assert sum(letter.left_out for letter in letters) == facts.left_out
    assert [(letter.letter, letter.letters) for letter in letters] == [
        (number, len(letters)) for number in range(1, len(letters) + 1)
    ]
    for subject in subjects:  # the addresses of a work that fits stay together
        holding = [letter for letter in letters if subject.work in [one.work for one in letter.subjects]]
        assert len(holding) == 1 or len(subject.infringements) > most


def test_letter_states_its_number_among_several():
    text = letter_of(split_letters(site_facts(), 1)[1]).text()
    assert "共 3 份函件，此为第 2 份" in text
    assert "共" not in letter_of(facts_with()).text().split("\n")[2]


def test_only_the_most_serious_addresses_are_listed():
    grave = place_at("https://www.copy.example/grave", copied_chars=9_999)
    subjects = (*facts_with().subjects, other_subject(2, infringements=(grave, *places(2))))
    assert [subject.infringements for subject in most_serious(subjects, 1)] == [(grave,)]
    assert most_serious(subjects, 0) == subjects
