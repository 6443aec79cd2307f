import { describe, expect, it } from 'vitest';
import type { Code } from './code.ts';
import { KnownLong } from './known-long.ts';
import { type Ending, failure } from './run-outcome.ts';

const code = (key: string): Code => ({ key, tenant: 't', text: '', artifact: { module: '', language: 'js' } });
const output: Ending = { kind: 'output', output: '{}' };

describe('KnownLong', () => {
  it('knows code by its last run', () => {
    const known = new KnownLong();
    known.ended(code('long'), output, true);
    known.ended(code('short'), output, false);
    known.ended(code('heap'), failure('memory_limit', ''), false);
    known.ended(code('slow'), failure('wall_limit', ''), false);
    expect(['long', 'short', 'heap', 'slow'].map((key) => known.has(code(key)))).toEqual([true, false, true, false]);
    known.ended(code('long'), output, false);
    expect(known.has(code('long'))).toBe(false);
  });

  it('forgets who was long a thousand functions ago', () => {
    const known = new KnownLong();
    for (let n = 0; n <= 1024; n++) known.ended(code(`${n}`), output, true);
    expect([known.has(code('0')), known.has(code('1'))]).toEqual([false, true]);
  });
});
