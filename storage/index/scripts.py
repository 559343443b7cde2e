"""Lua scripts of the index; Redis executes each script completely or not at all. Each script uses one slot.

Each call sends the whole script: a script is short compared with its arguments, and a restarted server does
not know its digest.
"""

from storage.index.records import PASSAGE_OFFSET, RECORD

SET = "redis.call('SET', KEYS[1], ARGV[1]) return 1"

UNLINK = "return redis.call('UNLINK', unpack(KEYS))"

# KEYS: the group's mark, buckets. ARGV: the records to append to each bucket. Returns 0 if the generation was
# dropped.
APPEND = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for index = 2, #KEYS do redis.call('APPEND', KEYS[index], ARGV[index - 1]) end
return 1
"""

# KEYS: buckets. ARGV: passage ids, packed as uint32. Deletes the records of these passages.
CUT = f"""
local gone = {{}}
for start = 1, #ARGV[1], 4 do gone[string.sub(ARGV[1], start, start + 3)] = true end
for _, key in ipairs(KEYS) do
  local data, kept = redis.call('GET', key) or '', {{}}
  for start = 1, #data, {RECORD.itemsize} do
    if not gone[string.sub(data, start + {PASSAGE_OFFSET}, start + {PASSAGE_OFFSET + 3})] then
      kept[#kept + 1] = string.sub(data, start, start + {RECORD.itemsize - 1})
    end
  end
  local left = table.concat(kept)
  if #left == 0 then redis.call('DEL', key)
  elseif #left < #data then redis.call('SET', key, left) end
end
return 1
"""

# KEYS: the group's mark, buckets. ARGV: for each bucket the length and SHA-1 of the data that was read, and
# the new data. Data that was appended later stays; a bucket with other changes is skipped. SET stores a value
# in the smallest space, while APPEND may use up to twice as much. Returns the number of skipped buckets, or
# -1 if the generation was dropped.
REWRITE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local left = 0
for index = 2, #KEYS do
  local data, at = redis.call('GET', KEYS[index]) or '', 3 * index - 5
  local read = tonumber(ARGV[at])
  if redis.sha1hex(string.sub(data, 1, read)) ~= ARGV[at + 1] then left = left + 1
  else
    local made = ARGV[at + 2] .. string.sub(data, read + 1)
    if #made == 0 then redis.call('DEL', KEYS[index]) else redis.call('SET', KEYS[index], made) end
  end
end
return left
"""

# KEYS: manifest, passages, dead, buried. ARGV: passage ids. Returns 0 if the generation was dropped.
UNFINISHED = """
if redis.call('HEXISTS', KEYS[1], 'corpus') == 0 then return 0 end
for _, passage in ipairs(ARGV) do
  redis.call('HSET', KEYS[2], passage, -1)
  redis.call('SREM', KEYS[3], passage)
  redis.call('SREM', KEYS[4], passage)
end
return 1
"""

# KEYS: manifest, passages. ARGV: a new stamp, then each passage id followed by its number of postings.
# Returns 0 if the generation was dropped.
COMPLETE = """
if redis.call('HEXISTS', KEYS[1], 'corpus') == 0 then return 0 end
local more = 0
for index = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[index], ARGV[index + 1])
  more = more + ARGV[index + 1]
end
redis.call('HINCRBY', KEYS[1], 'postings', string.format('%d', more))
redis.call('HSET', KEYS[1], 'stamp', ARGV[1])
return 1
"""

# KEYS: manifest, passages, dead. ARGV: a new stamp, passage ids. Returns 0 if the generation was dropped.
REMOVE = """
if redis.call('HEXISTS', KEYS[1], 'corpus') == 0 then return 0 end
local less = 0
for index = 2, #ARGV do
  local count = tonumber(redis.call('HGET', KEYS[2], ARGV[index]) or 0)
  if count > 0 then less = less + count end
  redis.call('HDEL', KEYS[2], ARGV[index])
  redis.call('SADD', KEYS[3], ARGV[index])
end
redis.call('HINCRBY', KEYS[1], 'postings', string.format('%d', -less))
redis.call('HSET', KEYS[1], 'stamp', ARGV[1])
return 1
"""

# KEYS: manifest, dead, buried. ARGV: number of postings when the compaction began, number of capped hashes.
# Ends a compaction.
END_ROUND = """
if redis.call('HEXISTS', KEYS[1], 'corpus') == 0 then return 0 end
redis.call('SDIFFSTORE', KEYS[2], KEYS[2], KEYS[3])
redis.call('DEL', KEYS[3])
redis.call('HSET', KEYS[1], 'tended', ARGV[1], 'capped', ARGV[2])
redis.call('HDEL', KEYS[1], 'cursor', 'counted', 'since')
return 1
"""
