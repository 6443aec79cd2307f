import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { withPart } from '../marked-part.ts';
import { readCosts } from './costs.ts';
import { capacityTable, costTable } from './sizing-tables.ts';

// `vitest run scripts/sizing -u` writes the tables again.

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));

it('docs/operate/sizing.md shows what the records of the scorecard lead to', async () => {
  const page = `${docs}operate/sizing.md`;
  const costs = readCosts(`${docs}scorecards`);
  const text = withPart(readFileSync(page, 'utf8'), 'costs', costTable(costs));
  await expect(withPart(text, 'capacity', capacityTable(costs))).toMatchFileSnapshot(page);
});
