-- Any number; all servers on one database take the same lock.
SELECT pg_advisory_xact_lock(7240117);

-- Not logged: what is counted is worth nothing after a crash, and would cost a flush to disk. There is room in each page
-- for the next version of its rows, and no index but one, so that taking changes none.
CREATE UNLOGGED TABLE IF NOT EXISTS patchbay_limits (
  key text COLLATE "C" PRIMARY KEY, used float8 NOT NULL, at float8 NOT NULL, full_at float8 NOT NULL
) WITH (fillfactor = 50);

-- Calls one after the other, each of which takes from all its buckets or from none. Keys are named once, and charges by
-- the places of their keys. The answer has, for each call, whether it took, and for each of its charges the units that
-- are used then.
--
-- Rows are locked in the order of their keys, so that two statements never wait for each other. The clock is read once all
-- are locked: no server writes a later time before an earlier one. A call that is refused writes nothing. One that changes
-- gets another number: servers of two versions may be at work.
CREATE OR REPLACE FUNCTION patchbay_take_1(
  keys text[], rates float8[], sizes int[], forced boolean[], places int[], costs float8[], bursts float8[], at_ms float8
) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8;
  used_now float8[];
  changed boolean[] := array_fill(false, ARRAY[cardinality(keys)]);
  answer float8[];
  said int := 0;
  first int := 1;
  fits boolean;
BEGIN
  INSERT INTO patchbay_limits (key, used, at, full_at)
    SELECT wanted, 0, 0, 0 FROM unnest(keys) AS wanted ORDER BY wanted COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET used = 0 WHERE false;
  now_ms := coalesce(at_ms, extract(epoch FROM clock_timestamp()) * 1000);
  used_now := ARRAY(
    SELECT greatest(0, l.used - greatest(0, now_ms - l.at) * k.rate)
    FROM unnest(keys, rates) WITH ORDINALITY AS k (key, rate, place) JOIN patchbay_limits l ON l.key = k.key
    ORDER BY k.place
  );
  FOR turn IN 1..cardinality(sizes) LOOP
    fits := true;
    FOR i IN first..first + sizes[turn] - 1 LOOP
      IF used_now[places[i]] + costs[i] > bursts[i] + 1e-6 THEN fits := false; END IF;
    END LOOP;
    fits := fits OR forced[turn];
    said := said + 1;
    answer[said] := CASE WHEN fits THEN 1 ELSE 0 END;
    FOR i IN first..first + sizes[turn] - 1 LOOP
      IF fits THEN
        used_now[places[i]] := greatest(0, used_now[places[i]] + costs[i]);
        changed[places[i]] := true;
      END IF;
      said := said + 1;
      answer[said] := used_now[places[i]];
    END LOOP;
    first := first + sizes[turn];
  END LOOP;
  UPDATE patchbay_limits l SET used = k.used, at = now_ms, full_at = now_ms + k.used / k.rate
    FROM unnest(keys, rates, used_now, changed) AS k (key, rate, used, changed) WHERE k.changed AND l.key = k.key;
  RETURN answer;
END $$;
