import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { joinSignals } from './signals.ts';

describe('joinSignals', () => {
  const two = () => [new AbortController(), new AbortController()] as const;

  it('the joined signal aborts with the first of them, for its reason', () => {
    const [one, other] = two();
    const { signal } = joinSignals(one.signal, other.signal);
    expect(signal.aborted).toBe(false);
    other.abort('first');
    one.abort('second');
    expect([signal.aborted, signal.reason]).toEqual([true, 'first']);
  });

  it('the joined signal starts out aborted if one of them is', () => {
    const [one] = two();
    expect(joinSignals(one.signal, AbortSignal.abort('before')).signal.reason).toBe('before');
  });

  it('a released or aborted signal leaves no listener behind and is not aborted again', () => {
    const [one, other] = two();
    const { signal, release } = joinSignals(one.signal, other.signal);
    release();
    one.abort();
    expect(signal.aborted).toBe(false);
    joinSignals(one.signal, other.signal);
    expect([one, other].map((each) => getEventListeners(each.signal, 'abort').length)).toEqual([0, 0]);
  });
});
