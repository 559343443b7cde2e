"""Licences of sites to publish works: granted and revoked."""

from zoneinfo import ZoneInfo

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.queries.scope import visible_work
from analysis.words.i18n import translator
from analysis.words.licence_terms import all_terms
from storage.records import SiteLicence, Work
from system.errors import PindnaError
from tracker.corpus.roles import BackgroundText
from tracker.judgement.licences import grant, licences_of, revoke
from tracker.runtime import Runtime


class LicenceExists(PindnaError):
    """A site has this licence already. Data: ``site``, ``title``."""

    code = "licence-known"
    template = "{site} already has this licence for “{title}”."


def grant_licence(
    identity: Identity, runtime: Runtime, work_id: int, licence: SiteLicence, *, replace: bool
) -> Work:
    """Let a site publish a work; the next scan judges stored pages by it. Returns the work as it is then.

    Args:
        identity: acts.
        runtime: the stores.
        work_id: the work, or an edition of it.
        licence: its terms.
        replace: the site's other licences end; otherwise they stay.

    Raises:
        NotPermitted, UnknownId: it is not this one's to grant.
        BackgroundText: the text is public.
        LicenceExists: the site has it already.
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
    note_act(
        identity,
        runtime,
        "grant-licence",
        f"work {work.id}",
        kind="licence-granted",
        before={licence.site: _words(old, runtime)},
        after={licence.site: _words([licence] if replace else [*old, licence], runtime)},
    )
    return stores.works.get_many([work_id])[work_id]


def revoke_licence(identity: Identity, runtime: Runtime, work_id: int, site: str) -> Work:
    """Take a site's licences for a work back; the next scan judges stored pages by it.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        UnknownRecord: the site has none.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    old = licences_of(before, site)
    revoke(before, site, runtime.stores)
    note_act(
        identity,
        runtime,
        "revoke-licence",
        f"work {before.id}",
        kind="work-changed",
        before={site: _words(old, runtime)},
        after={site: ""},
    )
    return visible_work(identity, runtime.stores, work_id)


def _words(licences: list[SiteLicence], runtime: Runtime) -> str:
    zone = ZoneInfo(runtime.settings.tracker.timezone)
    return all_terms(licences, zone, translator("en"))
