import { describe, expect, it } from 'vitest';
import { jsonDepth, outcomeOfOutput } from './run-outcome.ts';

describe('jsonDepth', () => {
  it('counts brackets outside of strings', () => {
    const depths: Readonly<Record<string, number>> = {
      '1': 0,
      '{}': 1,
      '[[],{"a":[]}]': 3,
      '"[[["': 0,
      '["\\"[[", [1]]': 2,
      '["\\\\", [1]]': 2,
    };
    for (const [text, depth] of Object.entries(depths)) expect(jsonDepth(Buffer.from(text))).toBe(depth);
  });

  it('takes a million levels', () => {
    expect(jsonDepth(Buffer.from('['.repeat(1_000_000)))).toBe(1_000_000);
  });
});

describe('outcomeOfOutput', () => {
  const outcomeOf = (text: string) => outcomeOfOutput(Buffer.from(text), false);

  it('takes objects of at most 64 levels', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    expect(outcomeOf(nested(64))).toEqual({ kind: 'output', output: nested(64), isQuiet: false });
    expect(outcomeOf(nested(65))).toMatchObject({ kind: 'failure', reason: 'output_unserializable' });
  });

  it.each(['', 'null', '[]', '"a"', '1', '{', '{}x', '\ufeff{}'])('refuses %j', (text) => {
    expect(outcomeOf(text)).toMatchObject({ kind: 'failure', reason: 'protocol_violation' });
  });
});
