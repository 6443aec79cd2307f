import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchbayFile } from '../../packages/e2e/src/driver/patchbay-file.ts';
import {
  adminKey,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../../packages/e2e/src/driver/server-process.ts';
import type { CodeBlock } from './code-blocks.ts';
import { documentedBlocks } from './documented-blocks.ts';
import { reasonNotToRun } from './shell-blocks.ts';

// Runs the shell commands of the documentation against a running server.

const run = promisify(execFile);
const blocks = documentedBlocks().filter((block) => block.language === 'sh' && reasonNotToRun(block) === undefined);

describe('shell blocks of the documentation', () => {
  let data: TemporaryData;
  let server: ServerProcess;
  let own: Readonly<Record<string, string>>;

  beforeAll(async () => {
    data = await temporaryData();
    server = await startServerProcess(data.path);
    const create = async (path: string, body: unknown) => {
      const answer = await ask(server, 'POST', path, body);
      expect(answer.status).toBeLessThan(300);
      return String(answer.body['id']);
    };
    const object = { type: 'object' };
    const body = {
      name: 'A function of the reader',
      input: object,
      output: object,
      code: 'export default () => ({ points: [] })',
    };
    const id = await create('/functions', body);
    own = {
      ID: id,
      EXECUTION: await create(`/functions/${id}/execute`, { input: {} }),
      WEBHOOK: await create('/webhooks', { url: 'https://example.com/hooks', events: ['function.created'] }),
      KEY_ID: await create('/keys', { name: 'CI', scopes: ['*'] }),
    };
    // Commands of the documentation stand in `bin`, as they would after an installation.
    mkdirSync(join(data.path, 'bin'));
    const command = `#!/bin/sh\nexec "${process.execPath}" --conditions=source "${patchbayFile}" "$@"\n`;
    writeFileSync(join(data.path, 'bin', 'patchbay'), command, { mode: 0o755 });
    writeFileSync(join(data.path, 'bin', 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    writeFileSync(
      join(data.path, 'patchbay.config.yaml'),
      `patchbay: 1\nstorage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }\nauthenticators: { keys: { use: "@patchbay/auth-api-key" } }\nsecretFile: ./secret\n`,
    );
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await data.remove();
  });

  /** Placeholders are replaced by values that a reader would have. */
  function script({ code }: CodeBlock): string {
    const { ID = '', EXECUTION = '', KEY_ID = '', WEBHOOK = '' } = own;
    const text = code
      .replaceAll(/(127\.0\.0\.1|localhost):4810/g, `127.0.0.1:${server.port}`)
      .replaceAll('pbk_live_…', adminKey)
      .replaceAll('function_…', ID)
      .replaceAll('call_…', EXECUTION)
      .replaceAll(/\bkey_[0-9a-z]{26}\b/g, KEY_ID)
      // No terminal here.
      .replaceAll(/^(patchbay keys revoke .*)$/gm, '$1 --yes')
      .replaceAll('2027-01-31T12:00:00Z', new Date(Date.now() - 3_600_000).toISOString())
      .replaceAll(/\/webhooks\/\$ID/g, `/webhooks/${WEBHOOK}`);
    const curl = 'curl() { command curl --fail-with-body --silent --show-error --max-time 20 "$@"; }';
    return `set -euo pipefail\n${curl}\n${text}\n`;
  }

  it('exist', () => {
    expect(blocks.length).toBeGreaterThan(15);
  });

  // One after the other: some make what the next one uses.
  it.each(blocks)('$place', { timeout: 90_000 }, async (block) => {
    const { ID = '', EXECUTION = '' } = own;
    const env = {
      PATH: `${join(data.path, 'bin')}:${process.env['PATH']}`,
      HOME: data.path,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      KEY: adminKey,
      PATCHBAY: server.url,
      PATCHBAY_URL: server.url,
      PATCHBAY_API_KEY: adminKey,
      PATCHBAY_DATA: data.path,
      ID,
      EXECUTION,
    };
    const ended = await run('bash', ['-c', script(block)], { cwd: data.path, env }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect(ended.code, `${ended.stdout}\n${ended.stderr}`).toBe(0);
  });
});
