import { describe, expect, it } from 'vitest';
import { createTimestamps, createTurns, laterThan, timestamp } from './clock.ts';

const clockAt = (now: number) => ({ now: () => now, monotonic: () => 0 });

describe('timestamp', () => {
  it('a timestamp always has three decimals', () => {
    expect(timestamp(clockAt(Date.UTC(2026, 0, 2, 3, 4, 5)))).toBe('2026-01-02T03:04:05.000Z');
    expect(timestamp(clockAt(Date.UTC(2026, 0, 2, 3, 4, 5, 70)))).toBe('2026-01-02T03:04:05.070Z');
  });
});

describe('createTimestamps', () => {
  it('its timestamps are those of the clock, whichever way that moves', () => {
    let now = 0;
    const next = createTimestamps({ now: () => now });
    const start = Date.UTC(2026, 11, 31, 23, 59, 59);
    const times = [0, 7, 7, 70, 700.9, 999, 1_000, 1_001, 61_000, 500, -1, -2_000, -start - 1, -start - 1_500];
    for (const time of times) {
      now = start + time;
      expect(next()).toBe(new Date(now).toISOString());
    }
  });
});

describe('laterThan', () => {
  const previous = '2026-01-02T03:04:05.999Z';

  it('laterThan is the current time where the clock has moved', () => {
    expect(laterThan(previous, clockAt(Date.parse(previous) + 70))).toBe('2026-01-02T03:04:06.069Z');
  });

  it('laterThan is one millisecond later where the clock has not moved or was set back', () => {
    expect(laterThan(previous, clockAt(Date.parse(previous)))).toBe('2026-01-02T03:04:06.000Z');
    expect(laterThan(previous, clockAt(0))).toBe('2026-01-02T03:04:06.000Z');
  });
});

describe('the end of a turn of the event loop', () => {
  it('the callers in one turn take their steps in lockstep', async () => {
    const endOfTurn = createTurns();
    const steps: string[] = [];
    const work = async (name: string): Promise<void> => {
      await endOfTurn();
      steps.push(`${name}1`);
      await Promise.resolve();
      steps.push(`${name}2`);
      await Promise.resolve();
      steps.push(`${name}3`);
    };
    await Promise.all(['a', 'b', 'c'].map(work));
    expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
  });

  it('a caller of the next turn waits for its end', async () => {
    const endOfTurn = createTurns();
    const first = endOfTurn();
    expect(endOfTurn()).toBe(first);
    await first;
    const second = endOfTurn();
    expect(second).not.toBe(first);
    await second;
  });

  it('callers of different instances do not wait for each other', async () => {
    const [one, other] = [createTurns(), createTurns()];
    expect(one()).not.toBe(other());
  });
});
