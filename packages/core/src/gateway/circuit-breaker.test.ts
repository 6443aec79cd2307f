import { describe, expect, it } from 'vitest';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';

function setUp() {
  const clock = createStoppedClock();
  const breaker = createCircuitBreaker(clock);
  const fail = (times: number): void => {
    for (let index = 0; index < times; index += 1) breaker.admit()?.failed();
  };
  return { clock, breaker, fail };
}

describe('circuit breaker', () => {
  it('the breaker opens after three failures in a row, and not after failures between successes', () => {
    const { breaker, fail } = setUp();
    fail(2);
    breaker.admit()?.succeeded();
    fail(2);
    expect(breaker.state()).toBe('closed');
    fail(1);
    expect(breaker.state()).toBe('open');
    expect(breaker.admit()).toBeUndefined();
    expect(breaker.waitMs()).toBe(5_000);
  });

  it('the breaker opens when more than two fifths of recent requests fail', () => {
    const { breaker } = setUp();
    for (let index = 0; index < 5; index += 1) {
      breaker.admit()?.failed();
      breaker.admit()?.succeeded();
    }
    expect(breaker.state()).toBe('closed');
    breaker.admit()?.failed();
    expect(breaker.state()).toBe('open');
  });

  it('the breaker forgets failures that are older than the window', () => {
    const { breaker, clock } = setUp();
    for (let index = 0; index < 9; index += 1) {
      breaker.admit()?.failed();
      breaker.admit()?.succeeded();
      clock.advance(5_000);
    }
    expect(breaker.state()).toBe('closed');
  });

  it('the breaker admits one probe at a time, and closes after three that pass', () => {
    const { breaker, clock, fail } = setUp();
    fail(3);
    clock.advance(5_000);
    for (let probe = 0; probe < 3; probe += 1) {
      expect(breaker.state()).toBe('half-open');
      const admitted = breaker.admit();
      expect(breaker.admit()).toBeUndefined();
      admitted?.succeeded();
    }
    expect(breaker.state()).toBe('closed');
  });

  it('the breaker reports its opening once, however often probes fail, and its closing once', () => {
    const clock = createStoppedClock();
    const turns: unknown[] = [];
    const breaker = createCircuitBreaker(clock, (turn) => turns.push(turn));
    breaker.trip();
    clock.advance(5_000);
    breaker.admit()?.failed();
    expect(turns).toEqual([{ leftAloneMs: 5_000 }]);
    clock.advance(10_000);
    for (let probe = 0; probe < 3; probe += 1) {
      breaker.admit()?.succeeded();
    }
    expect(turns).toEqual([{ leftAloneMs: 5_000 }, 'asked']);
  });

  it('the breaker opens for twice as long when a probe fails, up to 20 seconds', () => {
    const { breaker, clock, fail } = setUp();
    fail(3);
    const waits: number[] = [];
    for (let opening = 0; opening < 4; opening += 1) {
      waits.push(breaker.waitMs());
      clock.advance(breaker.waitMs());
      breaker.admit()?.failed();
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 20_000]);
  });

  it('a probe whose caller left is released', () => {
    const { breaker, clock, fail } = setUp();
    fail(3);
    clock.advance(5_000);
    breaker.admit()?.released();
    expect(breaker.admit()).toBeDefined();
  });

  it('the breaker cools down for as long as the upstream asked, without counting a failure', () => {
    const { breaker, clock } = setUp();
    breaker.coolDown(3_000);
    expect([breaker.state(), breaker.coolingMs(), breaker.admit()]).toEqual(['open', 3_000, undefined]);
    clock.advance(3_000);
    expect([breaker.state(), breaker.admit()]).toEqual(['closed', expect.anything()]);
  });
});
