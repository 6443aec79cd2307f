import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, runServer, type ServerProcess } from '../driver/run-server.ts';

// The commands for operators, as processes beside a server that runs on the same store.

const folder = newFolder();
const config = (more = '') => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
${more}`;
const secretOf = (letter: string) => letter.repeat(40);
let server: ServerProcess;
let url: string;
let bootstrap: string;

const writeConfig = (more: string) => writeFileSync(join(folder, 'patchbay.config.yaml'), config(more));
/** The command as a separate process, as a person starts it. */
const commandLine = async (...args: string[]) => {
  const process = runServer(folder, {}, args);
  const code = await process.ended();
  return { code, ...process.output };
};
/** The same without the process. */
const command = async (...args: string[]) => await runCli({ cwd: folder }, ...args);
const statusWith = async (key: string, path = '/functions') => {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { code?: string };
  return body.code ?? response.status;
};
const start = async () => {
  server = runServer(folder);
  url = await server.listening();
};
const stop = async () => {
  server.child.kill('SIGTERM');
  expect(await server.ended()).toBe(0);
};

beforeAll(async () => {
  writeConfig(`secret: ${secretOf('a')}`);
  await start();
  bootstrap = /Admin API key: (\S+)/.exec(server.output.stderr)?.[1] ?? '';
});

afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.ended();
  rmSync(folder, { recursive: true, force: true });
});

describe('patchbay keys', () => {
  let id: string;
  let key: string;

  it('create prints the key alone, which the running server takes', async () => {
    const made = await commandLine(
      'keys',
      'create',
      '--name',
      'CI',
      '--scope',
      'functions:read',
      '--scope',
      'audit:read',
    );
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^pbk_live_\w{12}_\w{38}\n$/);
    expect(made.stderr).not.toContain(made.stdout.trim());
    key = made.stdout.trim();
    id = /made (key_\w+) /.exec(made.stderr)?.[1] ?? '';
    expect(await statusWith(key)).toBe(200);
    expect(await statusWith(key, '/models')).toBe('insufficient_scope');
  });

  it('list shows keys, and no secrets', async () => {
    const { code, stdout } = await command('keys', 'list', '--json');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; scopes: string[] });
    expect(code).toBe(0);
    expect(rows.map(({ name, scopes }) => [name, scopes])).toEqual([
      ['CI', ['functions:read', 'audit:read']],
      ['First admin key', ['*', 'keys:permanent', 'metrics:read', 'tenants:read']],
    ]);
    expect(stdout).not.toContain(key.slice(-38));
  });

  it('rotate and revoke reach the running server, which caches a key for a second', async () => {
    const rotated = await command('keys', 'rotate', id, '--grace', '0', '--json');
    const { key: second } = JSON.parse(rotated.stdout) as { key: string };
    await expect.poll(async () => [await statusWith(key), await statusWith(second)]).toEqual(['invalid_token', 200]);
    expect((await command('keys', 'revoke', id, '--yes')).code).toBe(0);
    await expect.poll(() => statusWith(second)).toBe('key_revoked');
  });

  it.each([
    [['keys'], 2, 'rotate [options] <id>'],
    [['keys', 'create', '--name', 'x'], 2, "required option '--scope <scope>' not specified"],
    [['keys', 'create', '--name', 'x', '--scope', 'admin'], 2, 'admin is not a scope'],
    [['keys', 'create', '--name', '', '--scope', '*'], 2, '--name must have 1 to 200 characters'],
    [
      ['keys', 'create', '--name', 'x', '--scope', '*', '--ip', '10.0.0.0/99'],
      2,
      '--ip must be an IPv4 or IPv6 address',
    ],
    [
      ['keys', 'create', '--name', 'x', '--scope', '*', '--rate', 'often'],
      2,
      'such as 60/60, or with a burst 60/60:10',
    ],
    [['keys', 'create', '--name', 'x', '--scope', '*', '--rate', '1/90000'], 2, 'in 86400 seconds'],
    [['keys', 'create', '--name', 'x', '--scope', '*', '--budget', '5/week'], 2, 'such as 5/day or 12.50/month'],
    [['keys', 'create', '--name', 'x', '--scope', '*', '--budget', '0/day'], 2, 'such as 5/day or 12.50/month'],
    [['keys', 'revoke', 'key_1'], 2, 'Confirm with --yes'],
    [['keys', 'rotate'], 2, "missing required argument 'id'"],
    [['keys', 'rotate', 'key_1', '--grace', '90000'], 2, 'It is a number from 0 to 86400.'],
    [['keys', 'revoke', 'key_1', '--yes'], 4, 'no API key has this id'],
    [['keys', 'lst'], 2, 'Did you mean list?'],
  ])('%j says what is wrong', async (args, expected, message) => {
    const { code, stdout, stderr } = await command(...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('patchbay audit verify', () => {
  it('confirms an intact chain and lists who did what', async () => {
    const verified = await command('audit', 'verify');
    expect(verified).toMatchObject({ code: 0, stdout: 'default: 3 entries, all in order\n' });
    const response = await fetch(`${url}/audit`, { headers: { authorization: `Bearer ${bootstrap}` } });
    const { data } = (await response.json()) as { data: { action: string; actor: object; requestId: null }[] };
    expect(data.map(({ action, actor }) => [action, actor])).toEqual(
      ['key.revoked', 'key.rotated', 'key.created'].map((action) => [action, { type: 'service', id: 'cli' }]),
    );
  });

  it('names the first entry that was changed in the database', async () => {
    const database = new DatabaseSync(join(folder, 'patchbay.db'), { timeout: 10_000 });
    const change = (actor: string) =>
      database.prepare('UPDATE audit_entries SET actor_id = ? WHERE sequence = 2').run(actor);
    const { id } = database.prepare('SELECT id FROM audit_entries WHERE sequence = 2').get() as { id: string };
    change('key_somebody');
    const broken = await command('audit', 'verify', '--tenant', 'default');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toBe(`default: BROKEN at entry 2 (${id}): the entry was changed; 1 before it are in order\n`);
    change('cli');
    database.close();
    expect((await command('audit', 'verify')).code).toBe(0);
  });
});

describe('another root secret', () => {
  it('a new root secret keeps keys, stored secrets and the audit log while the old one is named as previous', async () => {
    const headers = {
      authorization: `Bearer ${bootstrap}`,
      'content-type': 'application/json',
      'idempotency-key': 'k1',
    };
    const ask = async () => {
      const body = JSON.stringify({ name: 'once', scopes: ['models:read'] });
      const response = await fetch(`${url}/keys`, { method: 'POST', headers, body });
      return await response.text();
    };
    const first = await ask();
    expect(first).toContain('"key":"pbk_live_');
    await stop();
    writeConfig(`secret: ${secretOf('b')}\npreviousSecrets: [${secretOf('a')}]`);
    await start();
    expect(await ask()).toBe(first);
    expect(await command('secrets', 'rewrap')).toMatchObject({
      code: 0,
      stdout: '1 sealed anew, 0 were, 0 cannot be opened\n',
    });
    expect((await command('audit', 'verify')).code).toBe(0);
    await stop();
    // The key of this test was used, so it is known without the old secret; and so is what was sealed.
    writeConfig(`secret: ${secretOf('b')}`);
    await start();
    expect(await ask()).toBe(first);
    expect((await command('secrets', 'rewrap')).stdout).toBe('0 sealed anew, 1 were, 0 cannot be opened\n');
    expect((await command('audit', 'verify')).stdout).toContain('BROKEN at entry 1');
  });
});
