import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../fixtures/run-cli.ts';

const configWith = (secret: string): string => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secret: ${secret}
`;
const folders: string[] = [];

async function installation(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
  folders.push(folder);
  await writeFile(join(folder, 'patchbay.config.yaml'), configWith('s'.repeat(40)));
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const time = '2026-01-02T03:04:05.678Z';
const source = {
  name: 'Echo',
  description: '',
  input: { type: 'object' },
  output: { type: 'object' },
  code: '(i) => i',
};
const functionLine = (id: string) =>
  JSON.stringify({
    collection: 'functions',
    tenant: 'default',
    row: {
      id,
      revision: 3,
      key: null,
      artifact: 'a',
      contentHash: 'c',
      createdAt: time,
      updatedAt: time,
      ...source,
    },
  });
const dump = ['{"patchbay":"dump","version":1}', functionLine('function_1'), functionLine('function_2'), ''].join('\n');

describe('patchbay migrate', () => {
  it('migrate lists pending migrations, runs them, and lists none', async () => {
    const cwd = await installation();
    const before = await runCli({ cwd }, 'migrate', 'status', '--json');
    expect(before.code).toBe(5);
    const { pending } = JSON.parse(before.stdout) as { pending: string[] };
    expect(pending.length).toBeGreaterThan(5);
    const up = await runCli({ cwd }, 'migrate', 'up', '--json');
    expect([up.code, JSON.parse(up.stdout)]).toEqual([0, { migrations: pending }]);
    expect(await runCli({ cwd }, 'migrate', 'status')).toMatchObject({ code: 0, stdout: '' });
  });

  it('with autoMigrate: false, other commands and doctor name the command that is missing', async () => {
    const cwd = await installation();
    await appendFile(join(cwd, 'patchbay.config.yaml'), 'autoMigrate: false\n');
    await writeFile(join(cwd, 'in.jsonl'), dump);
    const hint = 'autoMigrate is false: run "patchbay migrate up"';
    expect((await runCli({ cwd }, 'import', 'in.jsonl')).stderr).toContain(hint);
    expect((await runCli({ cwd }, 'doctor')).stdout).toContain(hint);
    expect(await runCli({ cwd }, 'migrate', 'up')).toMatchObject({ code: 0 });
    expect((await runCli({ cwd }, 'doctor')).stdout).toContain('pass  storage: opens');
    expect(await runCli({ cwd }, 'import', 'in.jsonl')).toMatchObject({ code: 0 });
  });
});

describe('patchbay export and import', () => {
  it('bring functions from one installation to another unchanged, once', async () => {
    const [from, to] = [await installation(), await installation()];
    await writeFile(join(from, 'in.jsonl'), dump);
    expect(await runCli({ cwd: from }, 'import', 'in.jsonl')).toMatchObject({ code: 0 });
    const exported = await runCli({ cwd: from }, 'export', 'out.jsonl');
    expect(exported.code).toBe(0);
    expect(await readFile(join(from, 'out.jsonl'), 'utf8')).toContain('"id":"function_2"');
    expect((await stat(join(from, 'out.jsonl'))).mode & 0o777).toBe(0o600);
    expect(await runCli({ cwd: from }, 'export', 'out.jsonl')).toMatchObject({ code: 2 });
    const nowhere = join(from, 'nowhere');
    expect((await runCli({ cwd: from }, 'export', join(nowhere, 'out.jsonl'))).stderr).toContain(
      `${nowhere} does not exist`,
    );

    const file = join(from, 'out.jsonl');
    const stored = await runCli({ cwd: to }, 'import', file, '--json');
    expect(JSON.parse(stored.stdout)).toEqual({ restored: 2, present: 0 });
    expect(await runCli({ cwd: to }, 'audit', 'verify')).toMatchObject({ code: 0 });
    const again = await runCli({ cwd: to }, 'import', file);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('functions function_1 already exists');
    const skipped = await runCli({ cwd: to }, 'import', file, '--skip-present', '--json');
    expect(JSON.parse(skipped.stdout)).toEqual({ restored: 0, present: 2 });
    const text = await runCli({ cwd: to }, 'export');
    expect(text.stdout).toBe(await readFile(file, 'utf8'));
  });

  it('import refuses keys in a file', async () => {
    const cwd = await installation();
    await writeFile(join(cwd, 'in.jsonl'), `${dump}{"collection":"apiKeys","tenant":"default","row":{}}\n`);
    const { code, stderr } = await runCli({ cwd }, 'import', 'in.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain('line 4: apiKeys are not restored here');
  });

  it('import names the line that is wrong', async () => {
    const cwd = await installation();
    await writeFile(join(cwd, 'in.jsonl'), 'nothing');
    const { stderr } = await runCli({ cwd }, 'import', 'in.jsonl');
    expect(stderr).toContain('line 1: this is no dump of Patchbay');
    expect(await runCli({ cwd }, 'import', 'nowhere.jsonl')).toMatchObject({ code: 2 });
  });
});

describe('patchbay backup and restore', () => {
  it('bring keys and the audit log along', async () => {
    const [from, to] = [await installation(), await installation()];
    await runCli({ cwd: from }, 'keys', 'create', '--name', 'CI', '--scope', 'functions:read');
    expect(await runCli({ cwd: from }, 'backup', 'all.jsonl')).toMatchObject({ code: 0 });
    const file = join(from, 'all.jsonl');
    expect(await runCli({ cwd: to }, 'restore', file)).toMatchObject({ code: 0 });
    expect((await runCli({ cwd: to }, 'keys', 'list', '--json')).stdout).toBe(
      (await runCli({ cwd: from }, 'keys', 'list', '--json')).stdout,
    );
    expect(await runCli({ cwd: to }, 'audit', 'verify')).toMatchObject({ code: 0 });
    expect(await runCli({ cwd: to }, 'restore', file)).toMatchObject({ code: 1 });
  });
});

describe('patchbay restore', () => {
  it('restore rejects a backup with another root secret, unless --any-secret is given', async () => {
    const [from, to] = [await installation(), await installation()];
    await runCli({ cwd: from }, 'keys', 'create', '--name', 'CI', '--scope', 'functions:read');
    await runCli({ cwd: from }, 'backup', 'all.jsonl');
    const file = join(from, 'all.jsonl');
    await writeFile(join(to, 'patchbay.config.yaml'), configWith('another-root-secret-0123456789abcdef'));
    const { code, stderr } = await runCli({ cwd: to }, 'restore', file);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('line 1: this backup was made under another root secret'),
    ]);
    expect((await runCli({ cwd: to }, 'keys', 'list', '--json')).stdout).toBe('');
    expect(await runCli({ cwd: to }, 'restore', '--any-secret', file)).toMatchObject({ code: 0 });
    expect((await runCli({ cwd: to }, 'keys', 'list', '--json')).stdout).toContain('"CI"');
  });
});

describe('patchbay plugin', () => {
  it('creates a plugin, checks it, and finds those that are installed', async () => {
    const cwd = await installation();
    const made = await runCli({ cwd }, 'plugin', 'new', 'router', 'rules');
    expect(made.code).toBe(0);
    expect(made.stdout).toContain('patchbay-router-rules/src/index.ts');
    const checked = await runCli({ cwd }, 'plugin', 'check', '@patchbay/router-weighted', '--json');
    expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([0, { kind: 'router', faults: [] }]);
    const { stdout } = await runCli({ cwd }, 'plugin', 'list', '--json');
    const listed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; fault?: string });
    expect(listed.map(({ name }) => name)).toContain('@patchbay/store-sqlite');
    expect(listed.filter(({ fault }) => fault !== undefined)).toEqual([]);
    expect(await runCli({ cwd }, 'plugin', 'check', 'not-installed')).toMatchObject({ code: 4 });
    expect(await runCli({ cwd }, 'plugin', 'new', 'cake', 'x')).toMatchObject({ code: 2 });
  });

  it('plugin check names where a plugin and its package.json disagree', async () => {
    const cwd = await installation();
    await writeFile(join(cwd, 'package.json'), '{"name":"mine","version":"1.0.0","type":"module"}');
    await writeFile(
      join(cwd, 'mine.js'),
      `export default { $$type: 'patchbay.plugin', definition: {
        name: 'other', kind: 'cache', version: 1, config: { properties: {} }, create() {},
      } };`,
    );
    const { code, stderr } = await runCli({ cwd }, 'plugin', 'check', './mine.js');
    expect(code).toBe(1);
    expect(stderr).toContain('its package is called mine, and its definition other');
    expect(stderr).toContain('its package.json lacks the keyword patchbay-plugin');
  });
});
