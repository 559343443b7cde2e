"""Learns the text containers of a site during a crawl; stores them at the end of the crawl.

A killed crawl loses what it learnt, and the next crawl learns it again. Only the newest pages of each host
count, so a changed layout is learnt soon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crawler.extraction.repeats import text_key
from crawler.extraction.template import SAMPLE_FORMS, PageForm, learn_containers, learn_frame
from storage.collections.templates import (
    FrameLine,
    HostTemplate,
    LearntContainer,
    SamplePage,
    TemplateStore,
)

_MAX_HOSTS = 1_000  # maximum number of hosts per crawl; a discovery has many hosts with few pages


@dataclass(slots=True)
class TemplateLearner:
    """The forms of the newest pages of each host in a crawl."""

    # Host → hash of the page's text → form; the newest form is last.
    _forms: dict[str, dict[int, PageForm]] = field(default_factory=dict)

    def add(self, host: str, whole: str, form: PageForm | None) -> None:
        """Add a page.

        Args:
            host: of the page.
            whole: its text including repeated sentences.
            form: its layout; None if uncertain.
        """
        if form is None or (host not in self._forms and len(self._forms) >= _MAX_HOSTS):
            return
        forms, key = self._forms.setdefault(host, {}), text_key(whole)
        forms.pop(key, None)
        forms[key] = form
        if len(forms) > SAMPLE_FORMS:
            del forms[next(iter(forms))]

    def store(self, templates: TemplateStore) -> None:
        """Merge the pages into the stored template of each host.

        Raises:
            ServiceDown, StorageFailed: as the store raises them.
        """
        for host, forms in self._forms.items():
            template = templates.of_host(host)
            before = [page for page in template.sample if page.key not in forms]
            current = [
                SamplePage(key=key, paths=form.paths, outside=frozenset(form.outside))
                for key, form in forms.items()
            ]
            sample = [*before, *current][-SAMPLE_FORMS:]
            texts = {digest: text for form in forms.values() for digest, text in form.outside.items()}
            templates.learn(
                host,
                sample=sample,
                containers=_learnt_containers(sample, template),
                frame=_frame_lines(sample, template, texts),
            )


def _learnt_containers(sample: Sequence[SamplePage], template: HostTemplate) -> list[LearntContainer]:
    before = {container.path: container for container in template.containers}
    counts = learn_containers(page.paths for page in sample)
    return [
        LearntContainer(path=path, pages=pages, first_seen=before[path].first_seen)
        if path in before
        else LearntContainer(path=path, pages=pages)
        for path, pages in counts.items()
    ]


def _frame_lines(
    sample: Sequence[SamplePage], template: HostTemplate, texts: Mapping[int, str]
) -> list[FrameLine]:
    """Return the frame lines whose wording is known."""
    wordings = {**{line.hash: line.text for line in template.frame}, **texts}
    return [
        FrameLine(hash=digest, text=wordings[digest], pages=pages)
        for digest, pages in learn_frame(page.outside for page in sample).items()
        if digest in wordings
    ]
