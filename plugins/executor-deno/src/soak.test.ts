import { expect, it } from 'vitest';
import { soak } from './fixtures/soak.ts';

// A short one; `bench/executor/soak.ts` makes long ones.

it.runIf(process.platform === 'linux')('a soak leaves nothing behind', { timeout: 60_000 }, async () => {
  const report = await soak({ seconds: 1.5, perSecond: 20, options: { queueTimeoutMs: 30_000 } });
  expect(report).toMatchObject({ executions: 30, refused: 0, wrong: 0 });
  expect(report.left.places).toBe(0);
  expect(report.left.zombies).toBe(0);
});
