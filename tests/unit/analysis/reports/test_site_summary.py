"""The figures of a report by site."""

from support.matches import match_with

from analysis.reports.site_summary import summarise_sites
from storage.collections.page_figures import PageGroup
from tracker.judgement.cases import case_of


def pages_of(site, *, state="compared"):
    fields = {"kind": "article", "verdict": None, "reason": "", "low_confidence": False, "count": 1}
    return PageGroup(host=site, state=state, **fields)


def test_every_site_in_scope_is_summed_up_the_gravest_first():
    pages = [
        pages_of("clean.example"),
        pages_of("quotes.example"),
        pages_of("quotes.example", state="failed"),
    ]
    pages += [pages_of("copies.example")]
    quoted = match_with(id="a", site="quotes.example", verdict="quote", copied_chars=9)
    copied = [match_with(id=str(work), site="copies.example", work_id=work) for work in (1, 2)]
    cases = [case_of([quoted]), *(case_of([match]) for match in copied)]
    copies, quotes, clean = summarise_sites(pages, cases, [quoted, *copied])
    assert (copies.site, copies.verdict, copies.works, copies.matches) == ("copies.example", "copy", 2, 2)
    assert (quotes.site, quotes.verdict, quotes.pages, quotes.compared) == ("quotes.example", "quote", 2, 1)
    assert quotes.not_compared == 1
    assert (clean.site, clean.verdict, clean.works) == ("clean.example", None, 0)
