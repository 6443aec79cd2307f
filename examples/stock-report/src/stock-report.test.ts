import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('prints what the README shows, without a server beside it', { timeout: 120_000 }, async () => {
  // As `npm run example -- stock-report` does, on a machine where no server runs.
  const example = fileURLToPath(new URL('../../../scripts/example.mjs', import.meta.url));
  const { PATCHBAY_API_KEY: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', example, 'stock-report'], {
    env: { ...env, NODE_OPTIONS: env['PATCHBAY_TEST_NODE_OPTIONS'], PATCHBAY_URL: 'http://127.0.0.1:9' },
  });
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  expect(stdout).toContain('completed');
  // Ids and times are new with every run.
  const lasting = stdout
    .replaceAll(/(function|execution)_\w+/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-24T01:30:00.000Z');
  expect(readme).toContain(`\`\`\`text\n${lasting}\`\`\``);
});
