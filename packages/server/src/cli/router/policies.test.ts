import { describe, expect, it } from 'vitest';
import { checkPolicy, policyOf } from './policies.ts';
import type { ReplayedCall } from './read-calls.ts';
import { createScoreMemory } from './score-memory.ts';

const minute = 60_000;

/** A call of the large model, which ended as many minutes in as its position says. */
function callAt(place: number, fields: Partial<ReplayedCall> = {}): ReplayedCall {
  return {
    task: 'summarize',
    model: 'a/large',
    chances: { 'a/large': 0.8, 'a/small': 0.2 },
    outcome: 'completed',
    cost: 0.01,
    score: undefined,
    scoredAt: undefined,
    endedAt: place * minute,
    durationMs: 1_000,
    promptTokens: 100,
    completionTokens: 50,
    ...fields,
  };
}

const info = (quality: number, price: number) =>
  ({ name: 'm', capabilities: ['chat'], quality, pricing: { input: price, output: price * 4 } }) as const;
const facts = new Map([
  ['a/large', info(0.9, 1)],
  ['a/small', info(0.5, 1)],
]);

describe('the memory of scores', () => {
  it('has scores from the time they were given, for their task and model only', () => {
    const scored = callAt(1, { score: 0.5, scoredAt: 10 * minute });
    const memory = createScoreMemory([scored, callAt(9), callAt(11)]);
    const scoresAt = (place: number, model = 'a/large', task = 'summarize') =>
      memory.read(callAt(place, { task }), model).scores;
    // It began a second before it ended, when the score was not there yet.
    expect(scoresAt(10)).toBeUndefined();
    expect(scoresAt(11)).toEqual({ count: 1, given: 1, sum: 0.5, squares: 0.25 });
    expect(scoresAt(11, 'a/small')).toBeUndefined();
    expect(scoresAt(11, 'a/large', 'classify')).toBeUndefined();
  });

  it('has how earlier calls ended: failures, repairs, time and length', () => {
    const memory = createScoreMemory([]);
    expect(memory.read(callAt(1), 'a/large')).toEqual({ observed: { failureRate: 0, inFlight: 0 } });
    memory.ended(callAt(1, { outcome: 'repaired', durationMs: 3_000, completionTokens: 10 }));
    memory.ended(callAt(2, { outcome: 'failed', durationMs: 1_000, completionTokens: 30 }));
    expect(memory.read(callAt(3), 'a/large')).toEqual({
      observed: { failureRate: 0.5, inFlight: 0, firstTokenMs: 2_000, outputTokens: 20 },
      fit: { asked: 2, mended: 0, askedAgain: 1, failed: 0 },
    });
    expect(memory.read(callAt(3), 'a/small')).toEqual({ observed: { failureRate: 0, inFlight: 0 } });
  });
});

describe('a policy', () => {
  it('that is a model always calls it', async () => {
    expect(await policyOf('a/small', facts)([callAt(1), callAt(2)])).toEqual([{ 'a/small': 1 }, { 'a/small': 1 }]);
  });

  it('that is the best single model is chosen by calls other than those it is used for', async () => {
    // The small model is lucky in the first call of every five, and in no other.
    const calls = Array.from({ length: 50 }, (_, place) => {
      const isFirst = place % 5 === 0;
      const model = place % 2 === 0 ? 'a/small' : 'a/large';
      const score = model === 'a/large' ? 0.6 : isFirst ? 1 : 0;
      return callAt(place, { model, score, chances: { 'a/large': 0.5, 'a/small': 0.5 } });
    });
    const choices = await policyOf('best', facts)(calls);
    expect(new Set(choices.map((each) => Object.keys(each)[0]))).toEqual(new Set(['a/large']));
  });

  it('that is the learned router goes to the model with the better scores', async () => {
    const calls = Array.from({ length: 300 }, (_, place) => {
      const model = place % 2 === 0 ? 'a/small' : 'a/large';
      return callAt(place, { model, score: model === 'a/small' ? 1 : 0.1, scoredAt: place * minute + 1 });
    });
    const shareOf = async (name: string) => {
      const choices = await policyOf(name, facts)(calls);
      const last = choices.slice(-50);
      return last.reduce((sum, each) => sum + (each['a/small'] ?? 0), 0) / last.length;
    };
    expect(await shareOf('learned')).toBeGreaterThan(0.9);
    // By quality in the catalogue, which it cannot learn.
    expect(await shareOf('weighted')).toBe(0);
  });

  it('that does not exist is refused with a list of those that do', () => {
    const models = ['a/large', 'a/small'];
    expect(() => checkPolicy('nonsense', models, [])).toThrow(
      'there is no policy "nonsense"; policies: weighted, learned, best; or a model: a/large, a/small',
    );
    expect(() => checkPolicy('learnt', models, [])).toThrow('did you mean "learned"?');
    for (const name of ['weighted', 'learned', 'best', 'a/large']) checkPolicy(name, models, []);
    // The server no longer has it.
    const gone = callAt(1, { chances: { 'b/gone': 1 } });
    expect(() => checkPolicy('b/gone', models, [gone])).not.toThrow();
    const many = Array.from({ length: 30 }, (_, index) => `c/${index}`);
    expect(() => checkPolicy('x', many, [])).toThrow(/, …$/);
  });
});
