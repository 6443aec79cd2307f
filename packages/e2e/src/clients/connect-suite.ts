import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import type { VendorsInUse } from '../gateway/use-vendors.ts';

const guides = fileURLToPath(new URL('../../../../docs/guide/clients/', import.meta.url));
/** The command `patchbay connect`, and the guides that show what it prints. */
export function connectSuite(vendors: VendorsInUse): void {
  // Where the clients resolve as in a project that has them.
  const parent = fileURLToPath(new URL('../../node_modules/.guides/', import.meta.url));
  mkdirSync(parent, { recursive: true });
  const project = mkdtempSync(parent);
  const folder = newFolder();
  afterAll(() => {
    for (const each of [project, folder]) rmSync(each, { recursive: true, force: true });
  });

  const cli = (env: object, ...args: string[]) => {
    const usual = { PATCHBAY_URL: vendors.server.running.url, PATCHBAY_API_KEY: adminKey };
    return runCli({ cwd: folder, env: { ...usual, ...env } }, 'connect', ...args);
  };

  /** The code of a guide, for the server of this test. */
  function guideOf(client: string): string {
    const [, code = ''] =
      /```(?:js|sh|toml)\n([\s\S]*?)```/.exec(readFileSync(join(guides, `${client}.md`), 'utf8')) ?? [];
    return code.replaceAll('http://127.0.0.1:4810', vendors.server.running.url);
  }

  describe('patchbay connect', () => {
    it.each(['openai', 'anthropic', 'ai-sdk', 'langchain', 'claude-code', 'codex'])(
      'prints the code of the guide: %s',
      async (client) => {
        const { code, stdout, stderr } = await cli({}, client);
        expect({ code, stdout }).toEqual({ code: 0, stdout: guideOf(client) });
        expect(stderr).toContain(`checked: ${vendors.server.running.url}/v1 has `);
      },
    );

    it('prints what runs as it is', async () => {
      const clients = ['openai', 'anthropic', 'ai-sdk', 'langchain'];
      for (const client of clients) writeFileSync(join(project, `${client}.mjs`), (await cli({}, client)).stdout);
      // In one process, because starting one is most of the work.
      const all = clients.map((client) => `await import('./${client}.mjs');`).join('\n');
      writeFileSync(join(project, 'all.mjs'), all);
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const env = { PATH, NODE_COMPILE_CACHE, PATCHBAY_API_KEY: adminKey };
      const { stdout } = await promisify(execFile)(process.execPath, ['all.mjs'], { cwd: project, env });
      expect(stdout).toBe('Hello from the upstream.\n'.repeat(clients.length));
    });

    it('names the model that was chosen, in JSON as well', async () => {
      const model = 'openai/gpt-4.1';
      expect((await cli({}, 'claude-code', '--model', model)).stdout).toMatch(/\nclaude --model openai\/gpt-4\.1\n$/);
      const { stdout } = await cli({}, 'openai', '--json', '--model', model);
      const { url } = vendors.server.running;
      const snippet = expect.stringContaining(`model: '${model}'`);
      expect(JSON.parse(stdout)).toEqual({ client: 'openai', url, model, install: 'npm install openai', snippet });
    });

    it('says to set the variable where the key came from elsewhere', async () => {
      const { stderr } = await cli({ PATCHBAY_API_KEY: '' }, 'openai', '--api-key', adminKey);
      expect(stderr).toContain('set PATCHBAY_API_KEY to the key that was used here');
      expect(stderr).not.toContain(adminKey);
    });

    it.each([
      ['there is no key', { PATCHBAY_API_KEY: '' }, [], 3, /set PATCHBAY_API_KEY, or make a key/],
      ['the key is wrong', { PATCHBAY_API_KEY: 'pbk_live_wrong' }, [], 3, /^patchbay: invalid_api_key: /],
      [
        'the model is unknown',
        {},
        ['--model', 'openai/gpt-0'],
        4,
        /^patchbay: model_not_found: .*"patchbay models list"/s,
      ],
      ['the path is wrong', { PATCHBAY_URL: '/elsewhere' }, [], 4, /is this the address of a Patchbay server/],
    ] as const)('prints nothing but why where %s', async (_, env, args, code, reason) => {
      const url = 'PATCHBAY_URL' in env ? { PATCHBAY_URL: vendors.server.running.url + env.PATCHBAY_URL } : {};
      const run = await cli({ ...env, ...url }, 'openai', ...args);
      expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(reason) });
    });

    it('says which scope a key lacks', async () => {
      const { body } = await vendors.server.ask('POST', '/keys', { name: 'Reader', scopes: ['functions:read'] });
      const run = await cli({ PATCHBAY_API_KEY: String(body['key']) }, 'openai');
      expect(run).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('models:read') });
    });

    it('says that another server is none of ours', async () => {
      const run = await cli({ PATCHBAY_URL: vendors.openai.url }, 'openai');
      expect(run).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('is this the address of') });
    });
  });
}
