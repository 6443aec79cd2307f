import { describe, expect, it } from 'vitest';
import { createFetchHandler } from './fetch-handler.ts';
import { createTestApp, sample, tokenOf } from './fixtures/test-app.ts';

describe('mountPath', () => {
  it('prefixes every link: Location, the OpenAPI document and the docs page', async () => {
    const { app } = await createTestApp();
    const handler = createFetchHandler(app, { mountPath: '/patchbay', basePath: { functions: '/v2' } });
    const get = async (path: string) => await handler(new Request(`http://localhost${path}`));
    const created = await handler(
      new Request('http://localhost/v2/functions', {
        method: 'POST',
        headers: { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' },
        body: JSON.stringify(sample),
      }),
    );
    expect(created.headers.get('location')).toMatch(/^\/patchbay\/v2\/functions\/function_/);
    const document = (await (await get('/openapi.json')).json()) as { servers: unknown; paths: object };
    expect(document.servers).toEqual([{ url: '/patchbay' }]);
    expect(Object.keys(document.paths)).toContain('/v2/functions');
    const page = await (await get('/docs')).text();
    expect(page).toContain('/patchbay/v2/functions');
    expect(page).toContain('href="openapi.json"');
    await app.host.stop(0);
  });

  it('the mount path precedes the page to which only browsers are sent from the root', async () => {
    const { app } = await createTestApp();
    const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
    const ask = async (basePath: string, path: string, init: RequestInit = { headers: { accept } }) =>
      await createFetchHandler(app, { mountPath: '/patchbay', basePath })(new Request(`http://localhost${path}`, init));
    for (const [basePath, path] of [
      ['', '/'],
      ['/api', '/'],
      ['/api', '/api'],
      ['/api', '/api/'],
    ] as const) {
      const { status, headers } = await ask(basePath, path);
      expect([status, headers.get('location')]).toEqual([302, `/patchbay${basePath}/docs`]);
    }
    expect((await ask('', '/', { headers: { accept: '*/*' } })).status).toBe(401);
    expect((await ask('', '/', { method: 'POST', headers: { accept } })).status).toBe(401);
    expect((await ask('', '/nowhere')).status).toBe(401);
    await app.host.stop(0);
  });
});
