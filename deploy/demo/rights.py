"""The rights holder of the sample works, and the contact of each sample site."""

from storage.collections.contacts import contact_id
from storage.collections.stores import Stores
from storage.records import Contact, Holder, HolderDocument

HOLDER = "pindna"
_PROOF = "作品登记证书（样本）：《青灯渡》等样本作品由 pindna 的开发者撰写，仅供演示。\n".encode()
_PROOF_NAME = "作品登记证书（样本）.txt"


def keep_rights(stores: Stores, *, site: str) -> None:
    """Store the holder and the contacts that notices about the sample works need. Idempotent."""
    sha256 = stores.holders.save_file(_PROOF)
    proof = HolderDocument(kind="title", name=_PROOF_NAME, sha256=sha256, bytes=len(_PROOF))
    stores.holders.save(
        Holder(
            name=HOLDER,
            address="杭州市某路 1 号",
            contact="林晓岚",
            position="版权经理",
            phone="0571-00000000",
            registration="样本",
            documents=(proof,),
        )
    )
    stores.contacts.save(
        Contact(id=contact_id("site", site), role="site", site=site, name="演示网站的经营者")
    )
