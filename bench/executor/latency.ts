/**
 * The cost of an execution at each level of isolation, beside the minimum of a warm jailed process. All
 * are called alternately, one call at a time, each when its processes are ready and nothing else is being started.
 *
 *     node --conditions=source bench/executor/latency.ts [rounds]
 */
import { innermostProcess } from '../../plugins/executor-deno/src/system-process.ts';
import { openScorecard } from '../../scripts/scorecard/open-scorecard.ts';
import { findFloorJail, openFloorSpare, proportionalBytes } from './floor.ts';
import { describe, median, startExecutor } from './subject.ts';

const scorecard = openScorecard('executor-latency');

const rounds = Number(process.argv[2] ?? 100);
const code = 'export default ({ text }) => ({ length: text.length })';
const input = JSON.stringify({ text: 'x'.repeat(1_000) });
const large = JSON.stringify({ text: 'x'.repeat(1_000_000) });

const jail = await findFloorJail();
const fresh = await startExecutor({ spares: 2 });
const primed = await startExecutor({ spares: 2, primed: 2 });
const reuse = await startExecutor({ spares: 1, isolation: 'reuse' });
const cold = await startExecutor({ isolation: 'cold' });
const artifact = await fresh.save(code);
const echo = await fresh.save('export default (input) => input');
const endless = await fresh.save('export default () => { for (;;); }');
const took: Record<string, number[]> = { floor: [], fresh: [], primed: [], reuse: [], cold: [], '1 MB': [], kill: [] };

async function kill(): Promise<number> {
  const controller = new AbortController();
  const outcome = fresh.run(endless, '{}', controller.signal);
  await new Promise((resolve) => setTimeout(resolve, 30));
  const start = performance.now();
  controller.abort();
  await outcome;
  return performance.now() - start;
}

// Hot enough to be loaded ahead, and kept.
for (let round = 0; round < 8; round += 1) {
  await primed.run(artifact, input);
  await primed.waiting(1);
}
await reuse.run(artifact, input);

for (let round = -5; round < rounds; round += 1) {
  const floor = await openFloorSpare(jail);
  await Promise.all([fresh.waiting(2), primed.waiting(1, 1), reuse.waiting(1, 1)]);
  const durations: Record<string, number> = {};
  durations['floor'] = await floor.run(code, JSON.parse(input));
  durations['fresh'] = await fresh.run(artifact, input);
  await floor.kill();
  await fresh.waiting(2);
  durations['primed'] = await primed.run(artifact, input);
  await primed.waiting(1, 1);
  durations['reuse'] = await reuse.run(artifact, input);
  durations['cold'] = await cold.run(artifact, input);
  if (round % 4 === 0) {
    durations['1 MB'] = await fresh.run(echo, large);
    await fresh.waiting(2);
    durations['kill'] = await kill();
  }
  if (round >= 0) for (const [name, duration] of Object.entries(durations)) took[name]?.push(duration);
}

await fresh.waiting(2);
const pids = fresh.executor.waitingProcesses.all;
const megabytes = proportionalBytes(pids.map(innermostProcess)) / pids.length / 1_048_576;

console.log(`jail: ${jail.level}; milliseconds, one call at a time`);
for (const [name, durations] of Object.entries(took)) console.log(`${name.padEnd(8)}${describe(durations)}`);
for (const name of ['fresh', 'primed', 'reuse', 'cold']) {
  console.log(
    `${name} takes ${(median(took[name] ?? []) / median(took['floor'] ?? [])).toFixed(2)} times the floor, at p50`,
  );
}
console.log(`memory of a process that waits: ${megabytes.toFixed(1)} MB, shared pages counted in parts`);
const p50 = (name: string): number => median(took[name] ?? []);
const p95 = (name: string): number =>
  (took[name] ?? []).toSorted((a, b) => a - b)[Math.floor((took[name] ?? []).length * 0.95)] ?? 0;
const figure = (what: string, value: number, most?: number, note?: string, unit = 'ms') => ({
  what,
  value,
  unit,
  ...(most !== undefined && { target: { most } }),
  ...(note !== undefined && { note }),
});
scorecard.record([
  figure(
    'floor: p50',
    p50('floor'),
    undefined,
    'a bare jailed Deno that waits, with the least channel that does the job',
  ),
  figure(
    `\`fresh\`, a process waits, jail \`${jail.level}\`: p50`,
    p50('fresh'),
    1.5,
    `p95 ${p95('fresh').toFixed(1)} ms`,
  ),
  figure('the same, over the floor', p50('fresh') / p50('floor'), 2, undefined, 'times'),
  figure('`primed`, code loaded ahead: p50', p50('primed'), 0.6),
  figure('`reuse`, after a pause: p50', p50('reuse')),
  figure('`cold`: p50', p50('cold')),
  figure('1 MB in and out, `fresh`: p50', p50('1 MB'), 25),
  figure(
    'end of an endless loop, from the abort until nothing is left: p95',
    p95('kill'),
    10,
    `p50 ${p50('kill').toFixed(1)} ms`,
  ),
  figure('memory of a process that waits, shared pages in parts', megabytes, 12, undefined, 'MB'),
]);
await Promise.all([fresh, primed, reuse, cold].map(({ executor }) => executor.stop()));
