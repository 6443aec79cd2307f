import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canary } from '@patchbay/canaries';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import { services } from '@patchbay/contracts/services';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from './create-app.ts';

const requests: string[] = [];
const proxy = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  response.end('{}');
});
let proxyUrl: string;

beforeAll(async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyUrl = `http://user:${canary('password of a proxy')}@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(() => proxy.close());

const vendor = 'http://vendor.example/v1';

/** Sends its vendor a request when it starts. */
const asking = definePlugin({
  name: 'asking',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  deps: { transport: services.transport },
  create: ({ deps }) => ({
    models: async () => [],
    chat: async () => await Promise.reject(new Error('no model is served')),
    start: async () => void (await (await deps.transport.createFetch({ baseUrl: vendor })(`${vendor}/models`)).text()),
  }),
});

it.each([
  ['egress.proxy', () => ({ config: { egress: { proxy: proxyUrl } }, env: {} })],
  ['HTTP_PROXY', () => ({ config: {}, env: { HTTP_PROXY: proxyUrl } })],
  [
    'egress.proxy before HTTP_PROXY',
    () => ({ config: { egress: { proxy: proxyUrl } }, env: { http_proxy: 'http://127.0.0.1:1' } }),
  ],
])('plugin requests go through the proxy from %s', async (_, given) => {
  const { config, env } = given();
  requests.length = 0;
  const app = await createApp({ patchbay: 1, providers: { asking: { use: asking } }, ...config }, { env });
  await app.host.stop();
  expect(requests).toEqual([`GET ${vendor}/models`]);
});

it('a proxy that is not an HTTP URL is reported with its path, and without its credentials', async () => {
  const egress = { proxy: `socks5://user:${canary('password of a socks proxy')}@proxy.example` };
  await expect(createApp({ patchbay: 1, egress })).rejects.toThrow(
    /egress\.proxy.*must be the URL of an HTTP proxy such as http:\/\/proxy\.example:3128/,
  );
});
