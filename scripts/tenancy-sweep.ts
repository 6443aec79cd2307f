/**
 * Send requests of tenants with the ids of others, and compare each response with that for an id that does not exist.
 *
 *     node --conditions=source scripts/tenancy-sweep.ts [--tries 200000] [--tenants 50] [--resources 40] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { tenancySweep } from '../packages/http/src/fixtures/tenancy-sweep.ts';
import { openScorecard } from './scorecard/open-scorecard.ts';

const scorecard = openScorecard('tenancy');

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '200000' },
    tenants: { type: 'string', default: '50' },
    resources: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});
const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
const started = performance.now();
const { operations, leaks, unchanged, tries, messages } = await tenancySweep(
  numbers as unknown as Parameters<typeof tenancySweep>[0],
);
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
console.log(
  `${tries} tries on ${operations.length} operations and ${messages} messages of agents in ${seconds} s: ${leaks.length} leaks`,
);
console.log(unchanged ? 'everything is stored as it was before' : 'SOMETHING WAS CHANGED');
for (const leak of leaks.slice(0, 20)) console.log(leak);
scorecard.record([
  {
    what: 'requests of tenants with the ids of others: responses that differ from those for an id that does not exist, or rows that changed',
    value: leaks.length + (unchanged ? 0 : 1),
    target: { exactly: 0 },
    note: `${operations.length} operations, ${values.tenants} tenants with ${values.resources} rows of each kind; seed ${values.seed}`,
  },
  { what: 'the same: requests', value: tries, target: { least: 100_000 } },
  { what: 'the same: messages of agents to POST /mcp', value: messages, target: { least: 100_000 } },
]);
process.exitCode = leaks.length === 0 && unchanged ? 0 : 1;
