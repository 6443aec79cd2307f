-- Looks at all buckets, and takes from all or from none: Redis runs nothing else meanwhile. Each bucket is one string,
-- "<units used> <milliseconds>", that expires when the bucket is full again.
--
-- KEYS: buckets. ARGV: milliseconds now, or empty for the clock of Redis; `take`, or `adjust` to do it in any case; then
-- for each bucket cost, units that come back per millisecond, and burst.
--
-- Returns, for each bucket, the units used; first whether the units were taken.
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local used = {}
local fits = true
for i, key in ipairs(KEYS) do
  local cost, rate, burst = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local stored = redis.call('GET', key)
  used[i] = 0
  if stored then
    local before, at = string.match(stored, '^(%S+) (%S+)$')
    used[i] = math.max(0, tonumber(before) - math.max(0, now - tonumber(at)) * rate)
  end
  if used[i] + cost > burst + 1e-6 then fits = false end
end
local taken = fits or ARGV[2] == 'adjust'
local answer = { taken and '1' or '0' }
for i, key in ipairs(KEYS) do
  if taken then
    local cost, rate = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
    used[i] = math.max(0, used[i] + cost)
    if used[i] == 0 then
      redis.call('DEL', key)
    else
      local expiry = math.min(math.ceil(used[i] / rate) + 1000, 1e13)
      redis.call('SET', key, string.format('%.17g %.17g', used[i], now), 'PX', string.format('%.0f', expiry))
    end
  end
  answer[i + 1] = string.format('%.17g', used[i])
end
return answer
