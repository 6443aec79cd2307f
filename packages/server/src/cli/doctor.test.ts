import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { definePlugin } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { checkExecutor, checkProviders } from './doctor.ts';

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
