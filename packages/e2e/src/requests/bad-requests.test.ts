import { describe, expect, it } from 'vitest';
import { useServer } from '../driver/use-server.ts';
import { runFuzz } from '../fuzz/run-fuzz.ts';
import { badFunctionSuite } from './bad-function.ts';
import { badHeadSuite } from './bad-head.ts';
import { badInputSuite } from './bad-input.ts';
import { badQuerySuite } from './bad-query.ts';

// One server, as it comes, for all of these. Executions need another config: `bad-execution.test.ts`.

const server = useServer();

// First, as none of its functions may be stored.
describe('a function', () => {
  badFunctionSuite(server);
});
describe('a body', () => {
  badInputSuite(server);
});
describe('a query', () => {
  badQuerySuite(server);
});
describe('a head', () => {
  badHeadSuite(server);
});

// A short run; `packages/e2e/scripts/fuzz.ts` makes long ones.
it('every mutated request gets a documented answer', async () => {
  const report = await runFuzz(server.process, 20_260_101, 160);
  expect(report.faults).toEqual([]);
  // Mutations that are all refused for the same reason would prove nothing.
  expect(Object.keys(report.outcomes).length, JSON.stringify(report.outcomes)).toBeGreaterThan(10);
  expect((await server.ask('GET', '/functions')).status).toBe(200);
});
