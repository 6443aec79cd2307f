import { expect, it } from 'vitest';
import { useServer } from '../driver/use-server.ts';
import { runFuzz } from './run-fuzz.ts';

// A short run; `packages/e2e/scripts/fuzz.ts` makes long ones.

const server = useServer();

it('every mutated request gets a documented answer', async () => {
  const report = await runFuzz(server.process, 20_260_101, 160);
  expect(report.faults).toEqual([]);
  // Mutations that are all refused for the same reason would prove nothing.
  expect(Object.keys(report.outcomes).length, JSON.stringify(report.outcomes)).toBeGreaterThan(10);
  expect((await server.ask('GET', '/functions')).status).toBe(200);
});
