/**
 * What an execution costs: a function that returns its input, over HTTP, in a fresh process each time; one client, then
 * eight at once.
 *
 *     pnpm build && node --conditions=source bench/execute.ts [executions]
 */
import { availableParallelism } from 'node:os';
import { percentiles } from './percentile.ts';
import { ask, startPatchbay } from './server-child.ts';

const executions = Number(process.argv[2] ?? 200);
const server = await startPatchbay();
const { id } = await ask(server.url, 'POST', '/functions', {
  name: 'Echo',
  input: { type: 'object' },
  output: { type: 'object' },
  code: 'export default (input) => input',
});
const execute = (): Promise<unknown> =>
  ask(server.url, 'POST', `/functions/${String(id)}/execute`, { input: { text: 'a' } });

const { p50, p95, p99 } = await percentiles(executions, execute);
const ms = (microseconds: number): string => (microseconds / 1_000).toFixed(1);
console.log(`1 client: p50 ${ms(p50)} ms  p95 ${ms(p95)} ms  p99 ${ms(p99)} ms`);

let left = executions;
const start = performance.now();
const client = async (): Promise<void> => {
  while (left-- > 0) await execute();
};
await Promise.all(Array.from({ length: 8 }, client));
const rate = executions / ((performance.now() - start) / 1_000);
console.log(`8 clients: ${rate.toFixed(1)} executions/s on ${availableParallelism()} cores`);
await server.stop();
