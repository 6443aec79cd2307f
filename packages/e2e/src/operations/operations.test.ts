import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { operations } from '@patchbay/http';
import { apiConformance } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';
import { startForwardingApp } from '../forward/forwarding-app.ts';
import { createExampleRecorder } from './example-recorder.ts';

const source = {
  name: 'Summarize Text',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'points'],
  },
};

// The contract of the API on the real server, with Deno and SQLite. With PostgreSQL: `two-replicas.test.ts`; its gateway, with
// the adapters of vendors: `gateway.test.ts`. What the tests of each operation send and receive are the examples of the OpenAPI
// document: `vitest run packages/e2e/src/operations -u` writes them again.

const builtIn = await readFile(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
// Agents find the issuer of their tokens where there is one. It is not asked for anything here.
const issuer = `{ issuer: "http://127.0.0.1:9", audience: ["https://patchbay.example.com/mcp"] }`;
const withIssuer = builtIn.replace(
  'authenticators:\n',
  `authenticators:\n  oauth: { use: "@patchbay/auth-oauth", with: { issuers: { corp: ${issuer} } } }\n`,
);
const server = useServerHere({
  config: `${withIssuer}\nwebhooks: { allow: [127.0.0.0/8] }\ncallRecords: { content: full }\n`,
});
const models = { chat: 'demo/extractive', embeddings: 'demo/hash-embed-512' };
const examplesFile = new URL('../../../http/src/reference/operation-examples.generated.json', import.meta.url);

const recorder = createExampleRecorder();
// First, as it wants a server that was just started.
apiConformance(recorder.runner({ describe, it }), {
  api: () => ({ url: server.running.url, token: adminKey, models, fetch: recorder.fetch }),
  topics: ['operations'],
});

// No model that is built in compacts.
const ofOpenAi = recorder.runner({ describe, it });
ofOpenAi.it('compactResponse responds with the items of a model of OpenAI', async () => {
  const { handle, test } = await startForwardingApp();
  const request = new Request('https://acme.example/v1/responses/compact', {
    method: 'POST',
    headers: { authorization: `Bearer ${test.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/large', input: [{ role: 'user', content: 'What is a patch bay?' }] }),
  });
  const response = await recorder.fetch(request, handle);
  const { output } = (await response.json()) as { readonly output: readonly { readonly type?: string }[] };
  assert.equal(output.at(-1)?.type, 'compaction');
});

describe('the examples of the OpenAPI document', () => {
  it('come from a test of every operation', () => {
    expect([...recorder.tested].toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it('have a response of every operation, and a stream wherever it streams', () => {
    const found = Object.entries(recorder.examples()).map(([id, { response, stream }]) => [
      id,
      { responds: response !== undefined, streams: stream !== undefined },
    ]);
    const expected = operations.map(({ id, success: { streams } }) => [
      id,
      { responds: true, streams: streams !== undefined },
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  it('match what the server responds with', async () => {
    const text = `${JSON.stringify(recorder.examples(), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot(fileURLToPath(examplesFile));
  });
});

apiConformance(
  { describe, it },
  { api: () => ({ url: server.running.url, token: adminKey }), topics: ['functions', 'requests', 'place'] },
);

describe('POST /functions/:id/execute', () => {
  it.each([
    ['export default', 'export default ({ text }) => ({ summary: text, points: [] })'],
    ['a function expression', '(async ({ text }) => ({ summary: text, points: [] }))'],
    ['main', 'export function main({ text }) { return { summary: text, points: [] } }'],
    ['handler', 'const handler = async ({ text }) => ({ summary: text, points: [] }); export { handler };'],
    [
      'TypeScript',
      'export default ({ text }: { text: string }): { summary: string; points: string[] } => ({ summary: text, points: [] })',
    ],
  ])('runs code in the form of %s', async (_, code) => {
    const created = await server.ask('POST', '/functions', { ...source, code });
    const path = `/functions/${String(created.body['id'])}`;
    const { status, body } = await server.ask('POST', `${path}/execute`, { input: { text: 'x' } });
    expect([status, body['output']]).toEqual([200, { summary: 'x', points: [] }]);
  });
});

describe('authentication', () => {
  it('guards every endpoint that returns data', async () => {
    const paths = ['/functions', '/functions/x', '/executions/x', '/functions/x/executions', '/functions/x/versions'];
    for (const path of paths) {
      const response = await fetch(server.running.url + path);
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});
