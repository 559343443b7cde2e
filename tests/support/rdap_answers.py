"""Answers of RDAP servers, shaped as RFC 9083 describes."""


def card(*properties):
    return ["vcard", [["version", {}, "text", "4.0"], *properties]]


DOMAIN = {
    "objectClassName": "domain",
    "ldhName": "lamp.cn",
    "events": [{"eventAction": "registration", "eventDate": "2019-05-01T00:00:00Z"}, {"eventAction": 1}],
    "nameservers": [{"ldhName": "NS1.LAMP.CN."}, "x"],
    "entities": [
        {
            "roles": ["registrar"],
            "vcardArray": card(["fn", {}, "text", "灯塔注册有限公司"]),
            "entities": [
                {
                    "roles": ["abuse"],
                    "vcardArray": card(
                        ["fn", {}, "text", "Abuse desk"],
                        ["email", {}, "text", "abuse@registrar.cn"],
                        ["tel", {"type": "voice"}, "uri", "tel:+86.1055556666"],
                    ),
                }
            ],
        }
    ],
}
NETWORK = {
    "objectClassName": "ip network",
    "startAddress": "8.8.4.0",
    "endAddress": "8.8.4.255",
    "name": "LAMP-CLOUD",
    "country": "sg",
    "entities": [
        {
            "roles": ["registrant"],
            "vcardArray": card(["fn", {}, "text", "Lamp Cloud Pte Ltd"]),
            "entities": [
                {"roles": ["abuse"], "vcardArray": card(["email", {}, "text", "abuse@lamp-cloud.sg"])}
            ],
        }
    ],
}
