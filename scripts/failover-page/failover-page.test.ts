import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { failoverFaults } from '../../packages/e2e/src/failover/failover-faults.ts';
import { playFailover } from '../../packages/e2e/src/failover/play-failover.ts';
import { outage, playOutage } from '../../packages/e2e/src/failover/play-outage.ts';
import { complaints } from '../../packages/e2e/src/failover/verdict.ts';
import { withPart } from '../marked-part.ts';
import { type FaultResult, publishedTable, resultsTable } from './failover-tables.ts';

// `vitest run scripts/failover-page -u` writes the tables again.

const page = fileURLToPath(new URL('../../docs/reference/failover.md', import.meta.url));
// Most of the time of a fault is spent waiting.
vi.setConfig({ maxConcurrency: 6, testTimeout: 300_000 });

const plays = [
  ...failoverFaults.map((fault) => ({
    ...fault,
    play: async (): Promise<FaultResult['observed']> =>
      (await playFailover(fault)).map((each) => ({ ...each, complaints: complaints(fault, each) })),
  })),
  { ...outage, play: playOutage },
].toSorted((one, other) => one.number - other.number);

describe('docs/reference/failover.md', () => {
  const results = new Map<number, FaultResult>();

  it.concurrent.each(plays)('fault $number: $what', async ({ number, what, does, play }) => {
    const observed = await play();
    results.set(number, { number, what, does, observed });
    expect(observed.filter((each) => each.complaints.length > 0)).toEqual([]);
  });

  it('the page shows what was found out', async () => {
    const found = plays.flatMap(({ number }) => results.get(number) ?? []);
    expect(found.map(({ number }) => number)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
    const text = withPart(readFileSync(page, 'utf8'), 'faults', resultsTable(found));
    await expect(withPart(text, 'published', publishedTable(found))).toMatchFileSnapshot(page);
  });
});
