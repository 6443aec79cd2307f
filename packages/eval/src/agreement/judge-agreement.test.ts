import { describe, expect, it } from 'vitest';
import type { Example } from '../dataset/read-dataset.ts';
import { wilson } from '../statistics/wilson.ts';
import { type Confusion, cohensKappa } from './cohens-kappa.ts';
import { correlation } from './correlation.ts';
import { judgeAgreement } from './judge-agreement.ts';

/** Numbers from 0 to 1, the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const rounded = (interval: object | undefined) =>
  interval && Object.fromEntries(Object.entries(interval).map(([name, value]) => [name, Number(value.toFixed(3))]));

describe('agreement', () => {
  it("Cohen's kappa is that of his definition", () => {
    const kappa = cohensKappa([
      [20, 5],
      [10, 15],
    ]);
    expect(rounded(kappa)).toEqual({ value: 0.4, low: 0.151, high: 0.649 });
    const always: Confusion = [
      [30, 0],
      [0, 20],
    ];
    expect(cohensKappa(always)).toEqual({ value: 1, low: 1, high: 1 });
    const never: Confusion = [
      [0, 25],
      [25, 0],
    ];
    expect(cohensKappa(never)?.value).toBe(-1);
    // One that passes everything agrees with 90 % of the labels, and knows nothing.
    const blind: Confusion = [
      [90, 0],
      [10, 0],
    ];
    expect(cohensKappa(blind)?.value).toBe(0);
    const same: Confusion = [
      [50, 0],
      [0, 0],
    ];
    expect(cohensKappa(same)).toBeUndefined();
  });

  it('intervals contain the truth in about 95 % of samples', () => {
    const random = numbersFrom(7);
    // Labels are 60 % good; the judge is right about 85 % of the good and 75 % of the bad.
    const shares = [0.51, 0.09, 0.1, 0.3] as const;
    const truth = (0.81 - (0.6 * 0.61 + 0.4 * 0.39)) / (1 - (0.6 * 0.61 + 0.4 * 0.39));
    const samples = 1_000;
    const hits = { kappa: 0, wilson: 0, correlation: 0 };
    for (let sample = 0; sample < samples; sample++) {
      const counts = [0, 0, 0, 0];
      const pairs: [number, number][] = [];
      for (let draw = 0; draw < 150; draw++) {
        let left = random();
        const cell = shares.findIndex((share) => {
          left -= share;
          return left < 0;
        });
        const index = cell === -1 ? 3 : cell;
        counts[index] = (counts[index] ?? 0) + 1;
        // Sums of uniform numbers, of which one is common: their correlation is 0.5.
        const common = random() + random() + random();
        const own = () => random() + random() + random();
        pairs.push([common + own(), common + own()]);
      }
      const [a = 0, b = 0, c = 0, d = 0] = counts;
      const contains = (value: number, interval: { low: number; high: number } | undefined) =>
        interval !== undefined && interval.low <= value && value <= interval.high;
      const kappa = cohensKappa([
        [a, b],
        [c, d],
      ]);
      hits.kappa += Number(contains(truth, kappa));
      hits.wilson += Number(contains(0.81, wilson(a + d, 150)));
      hits.correlation += Number(contains(0.5, correlation(pairs)));
    }
    for (const each of Object.values(hits)) {
      expect(each / samples).toBeGreaterThan(0.93);
      expect(each / samples).toBeLessThan(0.97);
    }
  });

  it('the correlation of what is always the same is not known', () => {
    const pairs = [0, 0.5, 0.75, 1].map((label) => [label, 0.5] as const);
    expect(correlation(pairs)).toBeUndefined();
    expect(correlation(pairs.map(([label]) => [label, 1 - label]))?.value).toBe(-1);
  });
});

describe('a judge beside the scores of people', () => {
  async function* examples(labels: readonly (boolean | number | string | undefined)[]): AsyncGenerator<Example> {
    for (const [index, score] of labels.entries()) {
      const scores = score === undefined ? {} : { score };
      yield { id: `${index}`, input: { index }, expected: null, output: { index }, scores };
    }
  }
  const findFunction = async (name: string) => name;

  it('is counted by its verdicts, and its votes that are missing by their reasons', async () => {
    const verdicts = [true, true, false, false, 'abstain', 'what'];
    const call = async (_path: string, body: object) => {
      const { index } = (body as { readonly input: { readonly input: { readonly index: number } } }).input.input;
      return { output: { verdict: verdicts[index] } };
    };
    const given = examples([1, false, true, 0, true, 1, '', undefined]);
    const found = await judgeAgreement(given, { judge: 'J', call, findFunction });
    expect(found).toMatchObject({
      labels: 6,
      withoutLabel: 2,
      votes: 4,
      noVotes: { 'J abstained': 1, 'J gave no verdict that is known': 1 },
      binary: {
        confusion: [
          [1, 1],
          [1, 1],
        ],
        agreement: { value: 0.5 },
        kappa: { value: 0 },
      },
    });
  });

  it('is compared with the opposite of scores of which less is better', async () => {
    const call = async () => ({ output: { verdict: 'pass' } });
    const given = examples([0, 0, 1]);
    const found = await judgeAgreement(given, { judge: 'J', optimize: 'min', call, findFunction });
    expect(found.binary?.confusion).toEqual([
      [2, 0],
      [1, 0],
    ]);
  });

  it('is compared by correlation and bias where scores are numbers', async () => {
    const labels = [0, 0.25, 0.5, 0.75, 1];
    const call = async (_path: string, body: object) => {
      const { index } = (body as { readonly input: { readonly output: { readonly index: number } } }).input.output;
      return { output: { score: 0.5 + (labels[index] ?? 0) / 2 } };
    };
    const found = await judgeAgreement(examples(labels), { judge: 'J', call, findFunction, concurrency: 1 });
    expect(found).toMatchObject({ votes: 5, numeric: { correlation: { value: 1 }, bias: 0.25 } });
  });

  it('has agreed with nothing where it never votes', async () => {
    const call = async () => ({ output: {} });
    const found = await judgeAgreement(examples([1, 0]), { judge: 'J', call, findFunction });
    expect(found).toMatchObject({ votes: 0, noVotes: { 'J abstained': 2 } });
    expect(found.binary?.agreement).toBeUndefined();
  });
});
