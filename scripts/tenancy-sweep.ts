/**
 * Let tenants try the ids of others, as often as you like: the test does it 100,000 times.
 *
 *     node --conditions=source scripts/tenancy-sweep.ts [--tries 3000000] [--tenants 50] [--resources 40] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { tenancySweep } from '../packages/http/src/fixtures/tenancy-sweep.ts';

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '3000000' },
    tenants: { type: 'string', default: '50' },
    resources: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});
const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
const started = performance.now();
const { operations, leaks, unchanged, tries } = await tenancySweep(
  numbers as unknown as Parameters<typeof tenancySweep>[0],
);
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
console.log(`${tries} tries on ${operations.length} operations in ${seconds} s: ${leaks.length} leaks`);
console.log(unchanged ? 'everything is stored as it was before' : 'SOMETHING WAS CHANGED');
for (const leak of leaks.slice(0, 20)) console.log(leak);
process.exitCode = leaks.length === 0 && unchanged ? 0 : 1;
