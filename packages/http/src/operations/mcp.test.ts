import { tenantId } from '@patchbay/core';
import { expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { DirectRequest } from '../fixtures/direct-request.ts';
import { createScopedApp } from '../fixtures/scoped-app.ts';

it('a subscription beyond the limit is refused with 429', async () => {
  const app = await createScopedApp();
  const caller = { id: 'listener', kind: 'user', tenant: tenantId('tenant-1'), scopes: ['*'] } as const;
  const callbacks = { onChange: () => {}, onUnauthorized: () => {} };
  const ends = Array.from({ length: 1_000 }, () => app.services.functionTools.watch(caller, callbacks));
  const listen = async (token: string) => {
    const method = 'subscriptions/listen';
    const params = {
      notifications: { toolsListChanged: true },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    };
    const message = { jsonrpc: '2.0', id: 1, method, params };
    return await createApi(app).respond(new DirectRequest('POST', '/mcp', token, message, headers));
  };
  const refused = await listen('tenant-1/*');
  expect(refused).toMatchObject({ status: 429, body: expect.stringContaining('concurrency_limited') });
  ends[0]?.();
  expect((await listen('tenant-1/*')).status).toBe(200);
  for (const end of ends) end();
  await app.host.stop(0);
});
