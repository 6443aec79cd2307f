import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canary } from '@patchbay/canaries';
import { definePlugin } from '@patchbay/core/plugin';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkExecutor, checkProviders, checkSecret } from './doctor.ts';

const describing = (description: { readonly jail?: string } | undefined) =>
  definePlugin({
    name: 'describing',
    kind: 'executor',
    version: 1,
    config: { properties: {} },
    create: () => ({
      execute: async () => await Promise.reject(new Error('nothing is executed')),
      ...(description && { describe: () => description }),
    }),
  });

it.each([
  ['fails', 'says that it has no jail', { jail: 'none' }, 'fail'],
  ['passes', 'names its jail', { jail: 'microvm' }, 'pass'],
  ['passes', 'does not know its jail', {}, 'pass'],
  ['passes', 'describes nothing', undefined, 'pass'],
])('the check of an executor %s if it %s', async (_, __, description, status) => {
  const app = { patchbay: 1, executor: { use: describing(description) } } as const;
  expect(await checkExecutor({ app, directory: tmpdir() }, {})).toMatchObject({ name: 'executor', status });
});

describe('the check of providers', () => {
  const { signal } = new AbortController();
  const use = '@patchbay/provider-openai';

  it.each([
    ['skips one whose base URL is empty', { baseUrl: '' }, 'skip', 'no baseUrl is set'],
    ['skips one without options', undefined, 'skip', 'works without an address'],
    ['fails for a base URL without a host', { baseUrl: 'http://' }, 'fail', 'its baseUrl is not a URL'],
    ['fails for a base URL with a space', { baseUrl: 'http://exa mple/v1' }, 'fail', 'its baseUrl is not a URL'],
    ['fails for a base URL that cannot be requested', { baseUrl: 'ftp://127.0.0.1/' }, 'fail', 'does not answer'],
  ])('%s', async (_, options, status, detail) => {
    const [found] = await checkProviders({ one: { use, ...(options && { with: options }) } }, signal);
    expect(found).toMatchObject({ name: 'provider one', status, detail: expect.stringContaining(detail) });
  });

  it('goes on after one that throws', async () => {
    const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const throwing = {
      get baseUrl(): string {
        throw new Error('it is not to be read');
      },
    };
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const found = await checkProviders({ one: { use, with: throwing }, two: { use, with: { baseUrl } } }, signal);
    server.close();
    expect(found).toMatchObject([
      { name: 'provider one', status: 'fail', detail: 'it is not to be read' },
      { name: 'provider two', status: 'pass' },
      { name: 'clock', status: 'pass' },
    ]);
  });
});

describe('the check of the root secret', () => {
  let directory: string;
  const secret = canary('root-secret-of-doctor');
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'patchbay-doctor-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  const checked = async (config: object) => await checkSecret({ app: { patchbay: 1, ...config }, directory });

  it.each([
    ['an empty file', '\n'],
    ['a file with a short secret', 'short'],
  ])('fails for %s', async (_, text) => {
    await writeFile(join(directory, 'secret'), text, { mode: 0o600 });
    const detail = `secretFile ${join(directory, 'secret')} is too short: a root secret has 32 characters or more`;
    await expect(checked({ secretFile: 'secret' })).rejects.toMatchObject({ code: 'config_invalid', message: detail });
  });

  it('fails for a folder in the place of the file', async () => {
    await expect(checked({ secretFile: '.' })).rejects.toThrow(`secretFile ${directory} cannot be used: EISDIR`);
  });

  it('passes for a secret in the config, and warns without any', async () => {
    expect(await checked({ secret })).toMatchObject({ status: 'pass', detail: 'is in the config' });
    expect(await checked({})).toMatchObject({ status: 'warn' });
  });

  it('warns about a file that others can read', async () => {
    await writeFile(join(directory, 'secret'), secret);
    await chmod(join(directory, 'secret'), 0o644);
    expect(await checked({ secretFile: 'secret' })).toMatchObject({ status: 'warn' });
    await chmod(join(directory, 'secret'), 0o600);
    expect(await checked({ secretFile: 'secret' })).toMatchObject({ status: 'pass' });
  });

  it('passes for a file that can be made, and does not make it', async () => {
    expect(await checked({ secretFile: 'a/b/secret' })).toMatchObject({
      status: 'pass',
      detail: `${join(directory, 'a/b/secret')} will be made at the first start`,
    });
    expect(existsSync(join(directory, 'a'))).toBe(false);
  });

  it('fails for a file that cannot be made, because a file is in its way', async () => {
    await writeFile(join(directory, 'file'), '');
    for (const secretFile of ['file/secret', 'file/a/secret']) {
      await expect(checked({ secretFile })).rejects.toThrow(
        `secretFile ${join(directory, secretFile)} cannot be used: ENOTDIR`,
      );
    }
  });

  // The superuser may write anywhere.
  it.skipIf(process.getuid?.() === 0)('fails for a file in a folder that this user may not change', async () => {
    await mkdir(join(directory, 'shut'), { mode: 0o500 });
    for (const secretFile of ['shut/secret', 'shut/a/secret']) {
      await expect(checked({ secretFile })).rejects.toThrow('cannot be used: EACCES');
    }
  });
});
