"""The form of a platform is filled from a notice whose claims are still confirmed."""

import io
from dataclasses import replace

import pytest
from support.letters import HOLDER, NOW, document, notice_case, stored_notice
from support.matches import match_with
from support.workbooks import cells

from analysis.cases.moves import move
from analysis.notices.form_files import FormOfDraft, download_header, fill_form
from analysis.notices.forms import find_form
from analysis.notices.sending import CannotSend, ClaimWithdrawn
from storage.records import Work
from tracker.judgement.cases import case_of

URLS = tuple(f"https://copy.example/书/{number}" for number in range(3))


@pytest.fixture
def notice(stores, tmp_path):
    """A notice about three addresses of one work."""
    stores.holders.save(HOLDER)
    stores.works.save(Work(id=1, key="k", title="青灯渡", kind="novel", origin="o", holder=HOLDER.name))
    matches = [
        match_with(
            id=url, page_id=url, url=url, passage_id=1, work_id=1, site="copy.example", review="confirmed",
            copied_chars=100, page_title="=标题", verdict="copy",
        )
        for url in URLS
    ]  # fmt: skip
    stores.matches.replace_for_pages({match.page_id: [match] for match in matches})
    case = move(
        stores.cases.save(replace(case_of(matches), state="new")), stores, to="confirmed", by="林", at=NOW
    )
    return stored_notice(
        stores, tmp_path, b"mail", cases=(notice_case(case.number, urls=URLS),), holder=HOLDER.name
    )


def filled(stores, notice, form="baidu", **changes):
    shown = find_form(form, None).model_copy(update=changes)
    return {file.name: file.data for file in fill_form(notice, shown, stores, timezone="Asia/Shanghai")}


def test_form_is_filled_in_the_order_of_its_fields(stores, notice):
    files = filled(stores, notice, batch=2)
    name = f"baidu-{notice.name}"
    assert list(files) == [f"{name}.xlsx", f"{name}-urls-1.txt", f"{name}-urls-2.txt"]
    assert files[f"{name}-urls-2.txt"] == b"https://copy.example/%E4%B9%A6/2\n"
    fields = dict(
        row
        for row in ([text for _, text in row] for row in cells(io.BytesIO(files[f"{name}.xlsx"])))
        if len(row) == 2
    )
    assert list(fields)[:3] == ["填写项", "投诉类型", "权利人名称"]
    assert (fields["权利人名称"], fields["权利作品名称"], fields["侵权链接数量"]) == (
        "青灯文化",
        "《青灯渡》",
        "3",
    )
    assert "涉及 300 字" in fields["侵权说明"]
    columns, *rows = cells(io.BytesIO(files[f"{name}.xlsx"]), sheet=2)
    assert [text for _, text in columns] == ["侵权链接", "侵权页面标题", "权利作品", "原作品链接"]
    assert rows[0][1] == ("inlineStr", "=标题")
    assert len(rows) == len(URLS)


def test_form_lists_no_proof_of_another_work(stores, notice):
    other = replace(document("title", "另一部.pdf"), work_id=2)
    stores.holders.save(replace(HOLDER, documents=(*HOLDER.documents, other)))
    table = filled(stores, notice, sheet="csv")[f"baidu-{notice.name}.csv"].decode("utf-8-sig")
    assert "登记证书.pdf" in table
    assert other.name not in table


def test_table_form_has_no_formulas(stores, notice):
    files = filled(stores, notice, sheet="csv")
    table = files[f"baidu-{notice.name}-urls.csv"].decode("utf-8-sig")
    assert table.splitlines()[1].startswith("https://copy.example/%E4%B9%A6/0,'=标题,青灯渡")


def test_form_claims_only_what_is_still_confirmed(stores, notice):
    with pytest.raises(FormOfDraft):
        filled(stores, replace(notice, is_draft=True))
    with pytest.raises(CannotSend):
        filled(stores, replace(notice, state="withdrawn"))
    (match,) = [match for match in stores.matches.of_case(1, "copy.example") if match.url == URLS[1]]
    stores.matches.replace_for_pages({match.page_id: [replace(match, review="dismissed")]})
    with pytest.raises(ClaimWithdrawn):
        filled(stores, notice)


def test_name_of_a_users_form_cannot_change_the_header_of_a_download():
    header = download_header('某平台"\r\nX: y-n1.zip')["Content-Disposition"]
    assert header.isascii()
    assert not {'"', "\r", "\n"} & set(header)
