import { setTimeout as wait } from 'node:timers/promises';
import { type Reply, upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { failoverFaults } from './failover-faults.ts';
import { ask, playOnSeats, warmUp } from './play-failover.ts';
import { whole, writer } from './sixty-words.ts';
import { complaints } from './verdict.ts';

const FALLBACK_AFTER_MS = 3_000;

/** Twenty words, and then comments only, which keep the connection open. */
function commenting(): Reply {
  const stalled = upstreamReplies.hangMidStream(whole, 20);
  return async (exchange) => {
    const timer = setInterval(() => void exchange.write('3\r\n:\n\n\r\n'), 100);
    await stalled(exchange);
    clearInterval(timer);
  };
}

describe('a stream that is silent', () => {
  it.concurrent('comments are silence, too: the fallback continues the text', async () => {
    const stall = failoverFaults.find(({ number }) => number === 9);
    if (!stall) throw new Error('no fault is a stall');
    const observed = await playOnSeats(
      async (gateway, seats) => {
        for (const { primary, fallback } of seats) {
          primary.script(commenting());
          fallback.script(writer());
        }
        return await Promise.all(seats.map((seat) => ask(gateway, seat)));
      },
      { fallbackAfterMs: FALLBACK_AFTER_MS },
    );
    expect(observed.flatMap((each) => complaints(stall, each))).toEqual([]);
  });

  it.concurrent('a pause within a tool call is waited for, because no other model can continue it', async () => {
    const tools = { toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] };
    const observed = await playOnSeats(
      async (gateway, seats) => {
        await warmUp(gateway, seats);
        for (const { primary } of seats) {
          // The time begins when the request has arrived, so that the pause is longer than the limit on any machine.
          primary.script((exchange) => upstreamReplies.pausedMidStream(tools, wait(FALLBACK_AFTER_MS + 500))(exchange));
        }
        return await Promise.all(seats.map((seat) => ask(gateway, seat)));
      },
      { fallbackAfterMs: FALLBACK_AFTER_MS },
    );
    const found = observed.map(({ path, reading, primary, fallback }) => ({
      path,
      error: reading.error,
      primary,
      fallback,
    }));
    expect(found).toEqual(found.map(({ path }) => ({ path, error: undefined, primary: 1, fallback: 0 })));
  });
});
