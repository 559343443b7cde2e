"""Groups of texts that share digests of their longest sentences, kept in Redis.

Layout, one name a corpus; the braces keep a corpus on one node of a cluster::

    pindna:nshash:{<name>}:ids       hash: digest (8 bytes) → group id
    pindna:nshash:{<name>}:parents   hash: group id → the smaller id that it became
    pindna:nshash:{<name>}:last      counter of ids

A batch is one script, so that it happens as a whole or not at all, also beside other writers: two texts
that share a digest never get different groups. The rules are those of
:class:`fingerprint.nshash.MemoryGroups`. A batch that is sent again because its answer was lost gives the
same groups again, save that texts without digests get new ones.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from fingerprint.mixing import Hashes
from storage.redis_client import Client, redis_errors

# Texts a script: bounds how long the server answers nobody else.
_BATCH = 500

_ROOT = """
local function root(group)
  local parent = redis.call('HGET', KEYS[2], group)
  while parent do group = parent; parent = redis.call('HGET', KEYS[2], group) end
  return tonumber(group)
end
"""

# Each argument is one text: its digests, 8 bytes each. Returns the ids of their groups.
_GROUP = (
    _ROOT
    + """
local answer = {}
for text = 1, #ARGV do
  local fresh, linked, smallest = {}, {}, nil
  for start = 1, #ARGV[text], 8 do
    local digest = string.sub(ARGV[text], start, start + 7)
    local id = redis.call('HGET', KEYS[1], digest)
    if id then
      local top = root(id)
      linked[top] = true
      if not smallest or top < smallest then smallest = top end
    else
      fresh[#fresh + 1] = digest
    end
  end
  smallest = smallest or redis.call('INCR', KEYS[3])
  for each in pairs(linked) do
    if each ~= smallest then redis.call('HSET', KEYS[2], each, smallest) end
  end
  for _, digest in ipairs(fresh) do redis.call('HSET', KEYS[1], digest, smallest) end
  answer[text] = smallest
end
return answer
"""
)

_CURRENT = (
    _ROOT
    + """
local answer = {}
for index = 1, #ARGV do answer[index] = root(ARGV[index]) end
return answer
"""
)


class RedisGroups:
    """Groups under one name, see :class:`fingerprint.nshash.Groups`.

    Args:
        client: an open connection.
        name: which corpus; a corpus that was grouped by other parameters needs another name.
    """

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._keys = [f"pindna:nshash:{{{name}}}:{each}" for each in ("ids", "parents", "last")]
        self._group = client.register_script(_GROUP)
        self._current = client.register_script(_CURRENT)

    def group(self, batch: Sequence[Hashes]) -> list[int]:
        """Add texts in their order, and return the id of each one's group at that moment.

        Raises:
            ServiceDown: Redis does not answer.
            RedisFailed: Redis refused.
        """
        packed = [np.asarray(digests, dtype="<u8").tobytes() for digests in batch]
        answer: list[int] = []
        with redis_errors(self._client):
            for start in range(0, len(packed), _BATCH):
                answer += cast("list[int]", self._group(self._keys, packed[start : start + _BATCH]))
        return answer

    def current(self, ids: Sequence[int]) -> list[int]:
        """Return the ids of today for ids of earlier.

        Raises:
            ServiceDown: Redis does not answer.
            RedisFailed: Redis refused.
        """
        answer: list[int] = []
        with redis_errors(self._client):
            for start in range(0, len(ids), _BATCH):
                answer += cast("list[int]", self._current(self._keys, list(ids[start : start + _BATCH])))
        return answer

    def clear(self) -> None:
        """Forget every group of this name.

        Raises:
            ServiceDown: Redis does not answer.
            RedisFailed: Redis refused.
        """
        with redis_errors(self._client):
            self._client.delete(*self._keys)
