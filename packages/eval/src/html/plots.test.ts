import { describe, expect, it } from 'vitest';
import { costPlot, intervalPlot } from './plots.ts';

const labelsOf = (markup: string) =>
  [...markup.matchAll(/<text x="([\d.]+)" y="([\d.]+)">([^<]+)/g)].map(([, x, y, text]) => ({
    x: Number(x),
    y: Number(y),
    text,
  }));

describe('plots of evaluations', () => {
  it('labels of variants with the same cost and quality are one below the other', () => {
    const points = ['a', 'b', 'c'].map((name) => ({ name, cost: 0.01, quality: 0.5 }));
    const labels = labelsOf(costPlot('Quality by cost', [...points, { name: 'd', cost: 0.01, quality: 0.45 }]).markup);
    expect(labels.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
    const heights = labels.map(({ y }) => y).toSorted((one, other) => one - other);
    for (const [index, y] of heights.entries()) expect(y - (heights[index - 1] ?? 0)).toBeGreaterThanOrEqual(16);
  });

  it('labels of long names keep both ends, which tell variants apart', () => {
    const rows = ['openai/gpt-4.1', 'openai/gpt-4.1-mini'].map((model) => ({
      name: `an instruction of many words that is used by ${model}`,
      interval: { value: 0.5, low: 0.4, high: 0.6 },
    }));
    const labels = labelsOf(intervalPlot('Quality', rows, [0, 1]).markup).map(({ text }) => text);
    expect(labels).toEqual([
      'an instruction of ma…sed by openai/gpt-4.1',
      'an instruction of ma…y openai/gpt-4.1-mini',
    ]);
    expect(labels.every((label) => label?.length === 42)).toBe(true);
  });
});
