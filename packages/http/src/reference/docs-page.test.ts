import { createHash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { createTestApp, type TestApp } from '../fixtures/test-app.ts';
import { type Client, transports } from '../fixtures/transports.ts';
import { operations } from '../operations/operations.ts';
import { html, prose } from './docs-page.ts';
import { createOpenApiDocument } from './openapi.ts';

describe.each(transports)('the reference over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp();
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  it('the OpenAPI 3.1 document is valid and has every operation', async () => {
    const { json, headers } = await client.send('GET', '/openapi.json', { as: null });
    expect(headers.get('content-type')).toBe('application/json');
    const result = await new Validator().validate(structuredClone(json));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    const ids = Object.values(json.paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    );
    expect(ids.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it('the page loads nothing and runs nothing', async () => {
    const { text, headers } = await client.send('GET', '/docs', { as: null });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/<script|<img|<link|<iframe|\bsrc=|@import|url\(|\son\w+=|javascript:/i);
    for (const [, target = ''] of text.matchAll(/href="([^"]*)"/g))
      expect(target).toMatch(/^#|^openapi\.json$|^https:\/\/github\.com\/patchbay\/.*\/errors\.md#\w+$/);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('every link of the page has a target, and every operation its section', async () => {
    const { text } = await client.send('GET', '/docs', { as: null });
    const places = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(places).size).toBe(places.length);
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(places).toContain(target);
    expect(places).toEqual(expect.arrayContaining(operations.map(({ id }) => id)));
  });
});

describe('createOpenApiDocument', () => {
  it('names every path parameter of a wildcard as well', async () => {
    const test = await createTestApp();
    const [first] = operations;
    if (!first) throw new Error('the table is empty');
    const { routes } = createApi(test.app, { operations: [{ ...first, path: '/models/*id' }] });
    expect(Object.keys(createOpenApiDocument(routes).paths)).toEqual(['/models/{id}']);
    await test.app.host.stop(0);
  });
});

describe('html', () => {
  it('escapes every text that is filled in', () => {
    expect(html`<p title="${'"><script>'}">${"<&'>"}</p>`.html).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;&amp;&#39;&gt;</p>',
    );
  });

  it('nests its own output unescaped', () => {
    expect(html`<ul>${[1, 2].map((value) => html`<li>${value}</li>`)}${undefined}</ul>`.html).toBe(
      '<ul><li>1</li><li>2</li></ul>',
    );
  });
});

describe('prose', () => {
  it('turns what is between backticks into code', () => {
    expect(html`${prose('a `<b>` c')}`.html).toBe('a <code>&lt;b&gt;</code> c');
  });
});
