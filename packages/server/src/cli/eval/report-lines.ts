import type { Report, VariantReport } from '@patchbay/eval';
import { type Output, printRows } from '../output.ts';

/** Print a report for a person. */
export function printReport(output: Output, { variants, differences }: Report): void {
  const hasScore = variants.some(({ score }) => score);
  const head = ['', 'passed', ...(hasScore ? ['score'] : []), 'per call', 'total', 'p50', 'p95'];
  printRows(output, {}, [head, ...variants.map((variant) => cellsOf(variant, hasScore))], (cells) => cells);
  for (const { variant, from, cases, passed, score } of differences) {
    const parts = [passed && `passed ${signed(passed)}`, score && `score ${signed(score)}`].filter(Boolean);
    output.result(`${variant} less ${from}, ${cases} cases: ${parts.join(', ') || 'not known'}`);
  }
  for (const { name, failures, noVotes, cost } of variants) {
    for (const [code, count] of Object.entries(failures)) output.result(`${name}: ${count} failed with ${code}`);
    for (const [reason, count] of Object.entries(noVotes)) output.result(`${name}: ${count} without a vote: ${reason}`);
    if (cost.unknown > 0) output.result(`${name}: the cost of ${cost.unknown} is not known`);
  }
}

function cellsOf({ name, passed, score, cost, latencyMs }: VariantReport, hasScore: boolean): readonly string[] {
  return [
    name,
    passed ? `${passed.count}/${passed.of} ${shown(passed)}` : '-',
    ...(hasScore ? [score ? shown(score) : '-'] : []),
    cost.perCallUsd === undefined ? '-' : `${cost.perCallUsd.toFixed(6)} USD`,
    `${cost.totalUsd.toFixed(6)} USD`,
    ...(latencyMs ? [`${latencyMs.p50} ms`, `${latencyMs.p95} ms`] : ['-', '-']),
  ];
}

interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const shown = ({ value, low, high }: Figure): string => `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

const sign = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;

const signed = ({ value, low, high }: Figure): string => `${sign(value)} (${sign(low)} to ${sign(high)})`;
