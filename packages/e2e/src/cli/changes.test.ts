import { rmSync } from 'node:fs';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Commands that make, change and delete, against a real server.

const server = useServerHere();
const folder = newFolder();
const cli = (...args: string[]) =>
  runCli({ cwd: folder, env: { PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey } }, ...args);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('patchbay webhooks', () => {
  let id: string;

  it('create shows the secret once, alone on standard output', async () => {
    const { code, stdout, stderr } = await cli('webhooks', 'create', 'https://example.com/a', '--event', '*');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)]);
    id = /made (\S+);/.exec(stderr)?.[1] ?? '';
    const shown = await cli('webhooks', 'get', id);
    expect(shown.stdout).not.toContain(stdout.trim());
    const json = await cli(
      'webhooks',
      'create',
      'https://example.com/b',
      '--event',
      'function.created',
      '--event',
      'function.updated',
      '--description',
      'two',
      '--disable',
      '--json',
    );
    expect(JSON.parse(json.stdout)).toMatchObject({
      url: 'https://example.com/b',
      events: ['function.created', 'function.updated'],
      description: 'two',
      enabled: false,
      secret: expect.stringMatching(/^whsec_/),
    });
  });

  it('update changes what is given, and nothing else', async () => {
    const changed = await cli('webhooks', 'update', id, '--disable', '--description', 'mine');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      url: 'https://example.com/a',
      events: ['*'],
      description: 'mine',
      enabled: false,
    });
    const again = await cli('webhooks', 'update', id, '--enable', '--target', 'https://example.com/c', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      url: 'https://example.com/c',
      description: 'mine',
      enabled: true,
    });
    expect(await cli('webhooks', 'update', id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to change'),
    });
    expect((await cli('webhooks', 'update', id, '--enable', '--disable')).code).toBe(2);
    const wrong = await cli('webhooks', 'update', id, '--event', 'function.upd');
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('/events/0') });
  });

  it('rotate-secret shows another secret', async () => {
    expect(await cli('webhooks', 'rotate-secret', id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^whsec_\S+\n$/),
      stderr: expect.stringContaining('for a day'),
    });
  });

  it('delete requires --yes without a terminal', async () => {
    expect(await cli('webhooks', 'delete', id)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Confirm with --yes'),
    });
    expect(await cli('webhooks', 'delete', id, '--yes')).toMatchObject({ code: 0, stdout: `deleted  ${id}\n` });
    expect((await cli('webhooks', 'delete', id, '--yes')).code).toBe(4);
  });
});

describe('patchbay functions delete', () => {
  beforeAll(async () => {
    await cli('init');
    await cli('functions', 'push');
  });

  it('deletes a function by its name once it is said, and leaves its folder', async () => {
    expect((await cli('functions', 'delete', 'Summarize Text')).code).toBe(2);
    const deleted = await cli('functions', 'delete', 'summarizeText', '--yes', '--json');
    expect(JSON.parse(deleted.stdout)).toMatchObject({ name: 'Summarize Text', outcome: 'deleted' });
    expect((await cli('functions', 'list')).stdout).toBe('');
    expect(await cli('functions', 'delete', 'summarizeText', '-y')).toMatchObject({ code: 4 });
    expect((await cli('functions', 'push')).stdout).toMatch(/^created {2}summarizeText/);
  });
});

describe('patchbay keys', () => {
  it('create takes limits, and list shows them', async () => {
    const limits = ['--rate', '60/60:10', '--budget', '12.50/month', '--ip', '10.0.0.0/8', '--ip', '::1'];
    const options = ['--name', 'Limited', '--scope', 'functions:read', '--expires', '2999-01-31T12:00:00Z', ...limits];
    const made = JSON.parse((await cli('keys', 'create', ...options, '--json')).stdout) as { id: string };
    expect(made).toMatchObject({
      rateLimit: { requests: 60, seconds: 60, burst: 10 },
      budget: { usd: 12.5, period: 'month' },
      ipAddresses: ['10.0.0.0/8', '::1'],
      expiresAt: '2999-01-31T12:00:00.000Z',
    });
    expect((await cli('keys', 'list')).stdout).toMatch(/from 10\.0\.0\.0\/8,::1 60\/60:10 12\.5 USD\/month/);
    expect((await cli('keys', 'revoke', made.id, '--yes')).code).toBe(0);
  });
});

describe('patchbay feedback', () => {
  it('list prints all of it as JSON lines, over pages, and what filters leave as a table', async () => {
    const names = Array.from({ length: 18 }, (_, index) => `m${index}`);
    const { body: made } = await server.ask('POST', '/functions', {
      name: 'Judged',
      input: { type: 'object' },
      output: { type: 'object' },
      code: 'export default () => ({})',
      settings: { metrics: Object.fromEntries(names.map((name) => [name, {}])) },
    });
    const targets: string[] = [];
    for (let run = 0; run < 6; run += 1) {
      const { body } = await server.ask('POST', `/functions/${String(made['id'])}/execute`, { input: {} });
      targets.push(String(body['id']));
    }
    for (const target of targets) {
      await Promise.all(names.map((metric) => server.ask('POST', '/feedback', { target, metric, value: 'good' })));
    }
    const { code, stdout, stderr } = await cli('feedback', 'list', '--json');
    expect([code, stderr]).toEqual([0, '108 entries\n']);
    const all = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { target: string; metric: string });
    const expected = targets.flatMap((target) => names.map((metric) => `${target} ${metric}`));
    expect(new Set(all.map(({ target, metric }) => `${target} ${metric}`))).toEqual(new Set(expected));
    const some = await cli('feedback', 'list', '--function', String(made['id']), '--metric', 'm3');
    expect(some.stdout.match(/ {2}m3 {2}good {2}code {2}execution_/g)).toHaveLength(6);
    expect((await cli('feedback', 'list', '--since', '2999-01-31T12:00:00Z')).stdout).toBe('');
    expect((await cli('feedback', 'list', '--since', 'yesterday')).stderr).toContain('?since');
  });
});
