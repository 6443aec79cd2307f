import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchHandler } from '../../fetch-handler.ts';
import { createTestApp, type TestApp } from '../../fixtures/test-app.ts';

describe('the reference page', () => {
  let test: TestApp;
  let get: (accepted: string, method?: string) => Promise<Response>;
  beforeAll(async () => {
    test = await createTestApp();
    const handle = createFetchHandler(test.app);
    get = async (accepted, method = 'GET') =>
      await handle(new Request('http://localhost/docs', { method, headers: { 'accept-encoding': accepted } }));
  });
  afterAll(() => test.app.host.stop(0));

  it.each([
    ['br', 'gzip, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('is sent as %s, at most a fifth of its size, and unpacks to the same page', async (encoding, accepted, unpack) => {
    const plain = await get('identity');
    const packed = await get(accepted);
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
    expect(packed.headers.get('content-security-policy')).toBe(plain.headers.get('content-security-policy'));
    const [text, bytes] = [await plain.text(), await packed.arrayBuffer()];
    expect(unpack(bytes).toString()).toBe(text);
    expect(bytes.byteLength).toBeLessThan(Buffer.byteLength(text) / 5);
  });

  it('has the headers of its encoding in a response to HEAD, and no body', async () => {
    const head = await get('br', 'HEAD');
    expect([head.status, head.headers.get('content-encoding'), await head.text()]).toEqual([200, 'br', '']);
  });
});
