import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('prints what the README shows', { timeout: 60_000 }, async () => {
  const example = fileURLToPath(new URL('./provider-plugin.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', example], {
    env: { ...process.env, NODE_OPTIONS: process.env['PATCHBAY_TEST_NODE_OPTIONS'] },
  });
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  expect(stdout).toContain('I am the model of Acme.');
  expect(readme).toContain(`\`\`\`text\n${stdout}\`\`\``);
});
