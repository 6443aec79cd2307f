import { errorCodes } from '@patchbay/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../api.ts';
import { createTestApp, type TestApp } from '../../fixtures/test-app.ts';
import { type Client, transports } from '../../fixtures/transports.ts';
import { operations } from '../../operations/operations.ts';
import { createOpenApiDocument } from '../openapi.ts';
import { docsFileNames } from './docs-files.ts';
import { html, prose } from './html.ts';

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

  it('the page loads its own style and script, and nothing from elsewhere', async () => {
    const { text, headers } = await client.send('GET', '/docs', { as: null });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    const loaded = [...text.matchAll(/<(?:link|script)\b[^>]* (?:href|src)="([^"]*)"/g)].map(([, target]) => target);
    expect(loaded).toEqual([`docs/${docsFileNames.style}`, `docs/${docsFileNames.script}`]);
    const marks =
      text
        .replaceAll(/<pre>.*?<\/pre>/gs, '')
        .match(/<\/?[a-z][^>]*>/g)
        ?.join('\n') ?? '';
    expect(marks).not.toMatch(/<(?:style|img|iframe)|\son\w+=|\sstyle=|javascript:|<script>/i);
    for (const [, target = ''] of text.matchAll(/<a href="([^"]*)"/g)) expect(target).toMatch(/^#|^openapi\.json$/);
    for (const file of loaded) {
      const { status, text: content, headers: sent } = await client.send('GET', `/${file}`, { as: null });
      expect([status, sent.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(content).not.toMatch(/https?:|@import|url\(/);
    }
  });

  it('every error code is explained on the page, where the endpoints link to it', async () => {
    const { text } = await client.send('GET', '/docs', { as: null });
    for (const code of Object.keys(errorCodes)) expect(text).toContain(`id="error-${code}"`);
    expect(text).toContain('<a href="#error-function_not_found"><code>function_not_found</code></a>');
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
  it('names every path parameter, even that of a wildcard', async () => {
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
  it('turns text between backticks into code', () => {
    expect(html`${prose('a `<b>` c')}`.html).toBe('a <code>&lt;b&gt;</code> c');
  });
});
