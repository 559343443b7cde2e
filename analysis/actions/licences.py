"""Grant and revoke the licences of sites to publish works."""

from contextlib import suppress
from zoneinfo import ZoneInfo

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action, work_subject
from analysis.queries.scope import visible_work
from analysis.words.i18n import translator
from analysis.words.licence_terms import all_terms
from storage.records import SiteLicence, Work
from system.errors import PindnaError, ServiceDown
from tracker.corpus.roles import BackgroundText
from tracker.judgement.licences import grant, licences_of, revoke
from tracker.runtime import Runtime


class LicenceExists(PindnaError):
    """A site already has this licence.

    Attributes:
        site: the site.
        title: title of the work.
    """

    code = "licence-known"
    template = "{site} already has this licence for “{title}”."


def grant_licence(
    identity: Identity, runtime: Runtime, work_id: int, licence: SiteLicence, *, replace: bool
) -> Work:
    """Grant a site a licence for a work, and have its stored matches judged again. Return the work.

    Args:
        identity: the user or program that acts.
        runtime: the stores.
        work_id: the work, or an edition of it.
        licence: terms of the licence.
        replace: end the other licences of the site for this work.

    Raises:
        NotPermitted, UnknownId: the user may not grant it.
        BackgroundText: the work is a background text, which needs no licence.
        LicenceExists: the site already has this licence.
    """
    identity.require("works:write")
    stores = runtime.stores
    work = visible_work(identity, stores, work_id)
    if not work.is_owned:
        raise BackgroundText(title=work.title, id=work.id)
    old = [licence_in_work for licence_in_work in work.permissions if licence_in_work.site == licence.site]
    if licence in old:
        raise LicenceExists(site=licence.site, title=work.title)
    grant(work, licence, stores, replace=replace)
    record_action(
        identity,
        runtime,
        "grant-licence",
        work_subject(work.id),
        kind="licence-granted",
        before={licence.site: _licence_text(old, runtime)},
        after={licence.site: _licence_text([licence] if replace else [*old, licence], runtime)},
    )
    _send(runtime)
    return stores.works.get_many([work_id])[work_id]


def _send(runtime: Runtime) -> None:
    """Have a worker begin now. Without Redis the request stays stored, and beat sends it later."""
    with suppress(ServiceDown):
        runtime.queue.send_again("tick")


def revoke_licence(identity: Identity, runtime: Runtime, work_id: int, site: str) -> Work:
    """Revoke the licences of a site for a work, and have its stored matches judged again.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
        UnknownRecord: the site has no licence for the work.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    old = licences_of(before, site)
    revoke(before, site, runtime.stores)
    record_action(
        identity,
        runtime,
        "revoke-licence",
        work_subject(before.id),
        kind="work-changed",
        before={site: _licence_text(old, runtime)},
        after={site: ""},
    )
    _send(runtime)
    return visible_work(identity, runtime.stores, work_id)


def _licence_text(licences: list[SiteLicence], runtime: Runtime) -> str:
    zone = ZoneInfo(runtime.settings.tracker.timezone)
    return all_terms(licences, zone, translator("en"))
