"""Lua scripts of frontier and pace; Redis executes each script completely or not at all.

The scripts of a frontier get all keys of the frontier, in the order of ``PARTS``. The keys for the scripts of
a pace are listed next to each script.
"""

PARTS = ("meta", "seen", "entries", "queue", "leased", "holders", "attempts", "beyond")

# ARGV: limit of texts, limit of addresses beyond it, then id, kind, priority and value of each entry. Returns
# the number of new entries; -1 if the frontier is missing.
PUSH = """
local meta, seen, entries, queue, beyond = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[8]
local limit, most_beyond, pushed = tonumber(ARGV[1]), tonumber(ARGV[2]), 0
if redis.call('HGET', meta, 'open') ~= '1' then return -1 end
for at = 3, #ARGV, 4 do
  local id, kind, priority, value = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3]
  if kind == 'text' and tonumber(redis.call('HGET', meta, 'texts') or '0') >= limit
     and redis.call('SISMEMBER', seen, id) == 0 then
    if redis.call('SCARD', beyond) < most_beyond then redis.call('SADD', beyond, id) end
  elseif redis.call('SADD', seen, id) == 1 then
    if kind == 'text' then redis.call('HINCRBY', meta, 'texts', 1) end
    redis.call('HSET', entries, id, value)
    local order = redis.call('HINCRBY', meta, 'order', 1)
    redis.call('ZADD', queue, string.format('%.0f', order - priority * 4294967296), id)
    pushed = pushed + 1
  end
end
for at = 1, #KEYS do redis.call('EXPIRE', KEYS[at], 259200) end
return pushed
"""

# ARGV: maximum number of entries, lease in ms, token, limit of attempts, priority of the queue's front,
# number of entries that the process has, attempts from which an entry is suspect. Returns the leased entries,
# the entries to give up, and 1 if the leased entry must be processed alone; returns nothing if the frontier
# is missing.
LEASE = """
local meta, entries, queue, leased, holders, attempts = KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local count, lease_ms, token, most = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local held, suspect, alone = tonumber(ARGV[6]), tonumber(ARGV[7]), 0
if redis.call('HGET', meta, 'open') ~= '1' then return false end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local given_up, taken = {}, {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leased, '-inf', now, 'LIMIT', 0, 200)) do
  if tonumber(redis.call('HGET', attempts, id) or '0') >= most then
    redis.call('ZADD', leased, now + lease_ms, id)
    redis.call('HSET', holders, id, token)
    given_up[#given_up + 1] = redis.call('HGET', entries, id)
  else
    redis.call('ZREM', leased, id)
    redis.call('HDEL', holders, id)
    redis.call('ZADD', queue, ARGV[5], id)
  end
end
while #taken < count and alone == 0 do
  local id = redis.call('ZRANGE', queue, 0, 0)[1]
  if not id then break end
  if tonumber(redis.call('HGET', attempts, id) or '0') >= suspect then
    if held + #taken > 0 then break end
    alone = 1
  end
  redis.call('ZREM', queue, id)
  redis.call('ZADD', leased, now + lease_ms, id)
  redis.call('HSET', holders, id, token)
  redis.call('HINCRBY', attempts, id, 1)
  taken[#taken + 1] = redis.call('HGET', entries, id)
end
for at = 1, #KEYS do redis.call('EXPIRE', KEYS[at], 259200) end
return {taken, given_up, alone}
"""

# ARGV: id, token, name of the counter to increase for this result. Returns 0 if another process has the
# entry.
COMPLETE = """
local meta, entries, leased, holders, attempts = KEYS[1], KEYS[3], KEYS[5], KEYS[6], KEYS[7]
local id, token = ARGV[1], ARGV[2]
if redis.call('HGET', holders, id) ~= token then return 0 end
redis.call('ZREM', leased, id)
redis.call('HDEL', holders, id)
redis.call('HDEL', entries, id)
redis.call('HDEL', attempts, id)
redis.call('HINCRBY', meta, ARGV[3], 1)
return 1
"""

# ARGV: token, lease in ms, ids of entries. Returns the number of valid leases.
EXTEND = """
local leased, holders = KEYS[5], KEYS[6]
local clock = redis.call('TIME')
local ends = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[2])
local held = 0
for at = 3, #ARGV do
  if redis.call('HGET', holders, ARGV[at]) == ARGV[1] then
    redis.call('ZADD', leased, ends, ARGV[at])
    held = held + 1
  end
end
return held
"""

# ARGV: token, priority of the queue's front, ids of entries.
RELEASE = """
local queue, leased, holders, attempts = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
for at = 3, #ARGV do
  if redis.call('HGET', holders, ARGV[at]) == ARGV[1] then
    redis.call('ZREM', leased, ARGV[at])
    redis.call('HDEL', holders, ARGV[at])
    redis.call('HINCRBY', attempts, ARGV[at], -1)
    redis.call('ZADD', queue, ARGV[2], ARGV[at])
  end
end
return 1
"""

# KEYS: next moment at which the host may be requested, end of its pause. ARGV: delay between two requests in
# ms. Returns the ms to wait.
RESERVE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local held = math.max(now, tonumber(redis.call('GET', KEYS[2]) or '0'))
local at = math.max(held, tonumber(redis.call('GET', KEYS[1]) or '0'))
local free = at + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.max(1000, free - now + 1000))
return at - now
"""

# KEYS: end of the host's pause. ARGV: length of the pause in ms.
HOLD = """
local clock = redis.call('TIME')
local till = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[1])
if till > tonumber(redis.call('GET', KEYS[1]) or '0') then
  redis.call('SET', KEYS[1], string.format('%.0f', till), 'PX', tonumber(ARGV[1]) + 1000)
end
return 1
"""

# KEYS: number of turns used in a period. ARGV: length of the period in seconds. Returns the number of used
# turns, including this one.
SPEND = """
local spent = redis.call('INCR', KEYS[1])
if spent == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return spent
"""
