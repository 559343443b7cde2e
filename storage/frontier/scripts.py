"""Lua scripts of frontier and pace; Redis runs each as a whole or not at all.

The keys of a frontier's scripts are all its keys, in the order of ``PARTS``. The keys of a pace's scripts are
listed next to each script.
"""

PARTS = ("meta", "seen", "entries", "queue", "leased", "holders", "attempts", "beyond")

# ARGV: limit of texts, limit of addresses beyond it, then id, kind, priority and value of each entry.
# Returns how many were new; -1 when the frontier is missing.
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

# ARGV: count, lease in ms, token, limit of attempts, front of the queue, entries held, attempts of a suspect.
# Returns the leased entries, those to give up, and 1 if the one leased is to be processed alone; nothing when
# the frontier is missing.
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

# ARGV: id, token, counter of the ending. 0 when another process has the entry.
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

# ARGV: token, lease in ms, ids. Returns how many leases are valid.
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

# ARGV: token, front of the queue, ids.
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

# KEYS: when the host is free next, until when it is paused. ARGV: gap in ms. Returns the ms to wait.
RESERVE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local held = math.max(now, tonumber(redis.call('GET', KEYS[2]) or '0'))
local at = math.max(held, tonumber(redis.call('GET', KEYS[1]) or '0'))
local free = at + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.max(1000, free - now + 1000))
return at - now
"""

# KEYS: until when the host is paused. ARGV: ms of the pause.
HOLD = """
local clock = redis.call('TIME')
local till = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[1])
if till > tonumber(redis.call('GET', KEYS[1]) or '0') then
  redis.call('SET', KEYS[1], string.format('%.0f', till), 'PX', tonumber(ARGV[1]) + 1000)
end
return 1
"""

# KEYS: number of used turns of a period. ARGV: seconds of the period. Returns the number with this turn.
SPEND = """
local spent = redis.call('INCR', KEYS[1])
if spent == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return spent
"""
