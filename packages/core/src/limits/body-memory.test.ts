import { describe, expect, it } from 'vitest';
import { createBodyMemory } from './request-limits.ts';

describe('the memory for bodies', () => {
  it('is shared by all requests, and freed when they are over', () => {
    const memory = createBodyMemory(() => ({ off: false, bodyBytes: 10 }));
    const [one, other] = [memory.open(), memory.open()];
    one.take(6);
    other.take(4);
    expect(() => other.take(1)).toThrow(expect.objectContaining({ code: 'overloaded', retryAfter: 1 }));
    one.leave();
    one.leave();
    other.take(6);
    expect(() => other.take(1)).toThrow('the bodies of the requests in progress');
    other.leave();
    expect(() => memory.open().take(10)).not.toThrow();
  });

  it('has no limit if limits are off', () => {
    const share = createBodyMemory(() => ({ off: true, bodyBytes: 10 })).open();
    expect(() => share.take(100)).not.toThrow();
  });
});
