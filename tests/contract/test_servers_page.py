"""``docs/servers.md`` followed to the letter: its lines make a user, who is enough for pindna's work."""

import json
import os
import re
from contextlib import closing
from pathlib import Path

import pymongo
import pytest
from support.commands import run_command
from support.history.servers import document_server
from support.processes import worker
from support.strict_mongo import strict_mongo

pytestmark = [pytest.mark.services, pytest.mark.long]
PAGE = (Path(__file__).parents[2] / "docs" / "servers.md").read_text(encoding="utf-8")
PASSWORD = "青灯".encode().hex()


def created_user():
    """Return database and user of the page's first lines for mongosh."""
    use, user = re.search(r"```js\nuse (\w+)\ndb\.createUser\((.*)\)\n```", PAGE).groups()
    text = user.replace("passwordPrompt()", f'"{PASSWORD}"')
    return use, json.loads(re.sub(r"(\w+):", r'"\1":', text))


@pytest.fixture
def environment(settings, tmp_path):
    """The environment of commands on a server where only the page's lines were run."""
    database, user = created_user()
    (url,) = re.findall(r"`(mongodb://\S+@HOST:27017/\S*)`", PAGE)
    with document_server(tmp_path) as port, strict_mongo(f"127.0.0.1:{port}") as proxy:
        with closing(pymongo.MongoClient("127.0.0.1", port, directConnection=True)) as client:
            client[database].command("createUser", user.pop("user"), **user)
            assert client[database].list_collection_names() == []
        address = url.replace("PASSWORD", PASSWORD).replace("HOST:27017", f"127.0.0.1:{proxy.port}")
        yield {
            "LC_ALL": "C.UTF-8",
            "PINDNA_STORAGE__MONGO_URL": address,
            "PINDNA_STORAGE__REDIS_URL": settings.storage.redis_url.get_secret_value(),
            "PINDNA_STORAGE__DATA_DIR": str(tmp_path / "data"),
        }


def test_user_from_the_documented_lines_has_enough_rights(environment, tmp_path):
    work = tmp_path / "青灯渡.txt"
    work.write_text("渡口的风从北岸吹来，老人把灯挂在竹竿上，等最后一班船。" * 20, encoding="utf-8")

    def run(*words):
        return run_command(*words, environment=environment, folder=tmp_path).stdout

    with worker({**os.environ, **environment}, tmp_path / "worker.log"):
        run("corpus", "add", work)
    assert "青灯渡" in run("corpus", "list")
    run("upgrade")
