import assert from 'node:assert/strict';
import type { ApiSuite } from './api-under-test.ts';
import { createFunctionAt } from './sample-function.ts';

interface Document {
  readonly openapi: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Whatever the prefix, the paths and URLs in responses lead where they should. */
export function placeSuite({ describe, it }: ApiSuite): void {
  describe('the place of the API', () => {
    it('appears in Location', async (api) => {
      const path = await createFunctionAt(api);
      const { headers } = await api.ask('POST', `${path}/execute`, {
        body: { input: { text: 'x' } },
        headers: { prefer: 'respond-async' },
      });
      assert.equal((await api.ask('GET', api.within(headers.get('location')))).status, 200);
    });

    it('appears in the OpenAPI document, as clients resolve it', async (api) => {
      const answer = await api.ask('GET', '/openapi.json', { token: null });
      assert.equal(answer.status, 200);
      const { openapi, servers = [{ url: '' }], paths } = answer.body as unknown as Document;
      assert.match(openapi, /^3\.1\./);
      // Metrics and tenants require operator scopes, and without a token issuer there is no metadata about it.
      const plain = Object.keys(paths).filter(
        (path) => 'get' in (paths[path] ?? {}) && !/\{|\/(?:metrics|tenants)$|\/\.well-known\//.test(path),
      );
      const found = plain.map((path) => `${servers[0]?.url}${path}`);
      assert.ok(found.length > 5);
      for (const target of found) assert.equal((await api.ask('GET', api.within(target))).status, 200, target);
    });

    it('appears on the reference page', async (api) => {
      const { status, headers, text } = await api.ask('GET', '/docs', { token: null });
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      const { pathname } = new URL(`${api.url}/functions`);
      assert.ok(text.includes(pathname), `${pathname} is not on the page`);
      const { href } = new URL(/href="(openapi\.json)"/.exec(text)?.[1] ?? '', `${api.url}/docs`);
      assert.equal(href, `${api.url}/openapi.json`);
    });
  });
}
