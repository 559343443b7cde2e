"""What is read from answers of RDAP servers, of the right shape and of any other."""

import json

from hypothesis import given
from hypothesis import strategies as st
from support.rdap_answers import DOMAIN, NETWORK

from analysis.sites.registration import facts_of_domain, facts_of_network

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("abuse"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["entities", "roles", "vcardArray", "nameservers", "events", "name"]), inner
        )
    ),
    max_leaves=20,
)


def values(facts):
    return {(fact.subject, fact.kind): fact.value for fact in facts}


def test_domain_gives_registrar_and_its_abuse_contact():
    assert values(facts_of_domain(DOMAIN)) == {
        ("registrar", "registrar"): "灯塔注册有限公司",
        ("registrar", "email"): "abuse@registrar.cn",
        ("registrar", "phone"): "+86.1055556666",
        ("site", "name-server"): "ns1.lamp.cn",
        ("site", "registered"): "2019-05-01",
    }


def test_network_gives_holder_country_and_abuse_contact():
    assert values(facts_of_network(NETWORK)) == {
        ("host", "network"): "LAMP-CLOUD",
        ("host", "country"): "SG",
        ("host", "name"): "Lamp Cloud Pte Ltd",
        ("host", "email"): "abuse@lamp-cloud.sg",
    }


def test_redacted_registrant_is_ignored():
    entity = {"roles": ["registrant"], "vcardArray": ["vcard", [["fn", {}, "text", "REDACTED FOR PRIVACY"]]]}
    assert facts_of_domain({"entities": [entity]}) == []


def test_nesting_and_number_of_entities_are_limited():
    entity = {"roles": ["registrar"], "handle": "r"}
    deep = {"entities": [entity]}
    for _ in range(500):
        deep = {"entities": [deep]}
    assert facts_of_domain(deep) == []
    many = [{"roles": ["registrar"], "handle": f"r{number}"} for number in range(10_000)]
    assert len(facts_of_domain({"entities": many})) == 60


@given(JUNK)
def test_no_answer_of_another_shape_raises(answer):
    for read in (facts_of_domain, facts_of_network):
        json.dumps([fact.value for fact in read(answer)])
