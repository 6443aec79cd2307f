/**
 * Executions per second at each level of isolation, for some seconds each.
 *
 *     node --conditions=source bench/executor/throughput.ts [seconds]
 */
import { availableParallelism } from 'node:os';
import { openScorecard } from '../../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../../scripts/scorecard/scorecard-record.ts';
import { describe, median, startExecutor } from './subject.ts';

const scorecard = openScorecard('executor-throughput');
const figures: Figure[] = [];

const seconds = Number(process.argv[2] ?? 5);
const code = 'export default ({ text }) => ({ length: text.length })';
const input = JSON.stringify({ text: 'x'.repeat(1_000) });

for (const [isolation, clients] of [
  ['fresh', 1],
  ['fresh', 4],
  ['cold', 4],
  ['reuse', 1],
  ['reuse', 4],
] as const) {
  const subject = await startExecutor({ isolation });
  const artifact = await subject.save(code);
  await subject.run(artifact, input);
  const took: number[] = [];
  const end = performance.now() + seconds * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < end) took.push(await subject.run(artifact, input));
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  const rate = took.length / ((performance.now() - start) / 1_000);
  await subject.executor.stop();
  const title = `${isolation}, ${clients} at once:`.padEnd(20);
  console.log(`${title}${rate.toFixed(1)} per second on ${availableParallelism()} cores; in ms ${describe(took)}`);
  const name = `\`${isolation}\`, ${clients === 1 ? 'one call after the other' : 'four at once'}`;
  figures.push({ what: name, value: rate, unit: 'per second', note: `p50 ${median(took).toFixed(2)} ms` });
  if (isolation === 'reuse' && clients === 1)
    figures.push({ what: `${name}: p50`, value: median(took), unit: 'ms', target: { most: 0.1 } });
}
scorecard.record(figures);
