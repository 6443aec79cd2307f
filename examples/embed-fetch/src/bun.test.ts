import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { contractResults } from './fixtures/contract-results.ts';

// `npm run test:runtimes` brings a Bun and says here where it is.
const bun = process.env['PATCHBAY_TEST_BUN'];

it.skipIf(bun === undefined)(
  'the API is served within Bun, on a socket of Bun',
  async () => {
    const program = fileURLToPath(new URL('./fixtures/run-contract.ts', import.meta.url));
    const run = promisify(execFile)(bun as string, ['--conditions=source', program], { env: {} });
    const tests = contractResults((await run).stdout);
    expect(tests.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(tests.at(-1)?.name).toMatch(/^host > a stop ends/);
    expect(tests.length).toBeGreaterThan(20);
  },
  60_000,
);
