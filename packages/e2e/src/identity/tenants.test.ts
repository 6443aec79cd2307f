import { canary } from '@patchbay/canaries';
import { beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import type { Answer } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Requests for objects of another tenant get the response for objects that do not exist.

const keys = { acme: canary('key-of-acme'), umbrella: canary('key-of-umbrella') };

const server = useServerHere({
  env: { PATCHBAY_BOOTSTRAP_KEY: undefined },
  config: `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators:
  acme: { use: "@patchbay/auth-api-key", with: { tenant: acme, bootstrapKey: ${keys.acme} } }
  umbrella: { use: "@patchbay/auth-api-key", with: { tenant: umbrella, bootstrapKey: ${keys.umbrella} } }
secretFile: ./secret
limits: { off: true }
`,
});

const as = (tenant: keyof typeof keys, method: string, path: string, body?: unknown): Promise<Answer> =>
  server.ask(method, path, body, { authorization: `Bearer ${keys[tenant]}` });

/** An answer without what differs from request to request. */
const comparable = ({ status, headers, body }: Answer, id: string): object => {
  const text = JSON.stringify(body)
    .replaceAll(/request_\w{26}/g, 'request')
    .replaceAll(id, 'id');
  const names = [...headers].filter(([name]) => !['date', 'request-id', 'content-length'].includes(name));
  return { status, text, headers: names };
};

let functionId: string;
let executionId: string;

beforeAll(async () => {
  functionId = String((await as('acme', 'POST', '/functions', echo)).body['id']);
  executionId = String((await as('acme', 'POST', `/functions/${functionId}/execute`, { input: {} })).body['id']);
});

describe('a foreign id', () => {
  it.each([
    ['GET', '/functions/:function', undefined],
    ['PUT', '/functions/:function', echo],
    ['PUT', '/functions/:function', { ...echo, code: '(' }],
    ['DELETE', '/functions/:function', undefined],
    ['POST', '/functions/:function/execute', { input: {} }],
    ['GET', '/functions/:function/executions', undefined],
    ['GET', '/functions/:function/versions', undefined],
    ['GET', '/functions/:function/versions/1', undefined],
    ['POST', '/functions/:function/versions/1/restore', undefined],
    ['GET', '/executions/:execution', undefined],
  ] as const)('%s %s', async (method, template, body) => {
    const at = (functionPart: string, executionPart: string): string =>
      template.replace(':function', functionPart).replace(':execution', executionPart);
    const missing = [functionId.replace(/.{4}$/, '0000'), executionId.replace(/.{4}$/, '0000')] as const;
    const foreign = await as('umbrella', method, at(functionId, executionId), body);
    const absent = await as('umbrella', method, at(...missing), body);
    expect(foreign.status).toBe(404);
    const id = template.includes(':function') ? functionId : executionId;
    expect(comparable(foreign, id)).toEqual(comparable(absent, id));
  });
});

it('rows of another tenant do not appear in lists', async () => {
  const own = String((await as('umbrella', 'POST', '/functions', { ...echo, name: 'Ours' })).body['id']);
  const { body } = await as('umbrella', 'GET', '/functions?limit=100');
  expect(body).toMatchObject({ data: [{ id: own }], meta: { total: 1 } });
  expect((await as('acme', 'GET', '/functions')).body).toMatchObject({
    data: [{ id: functionId }],
    meta: { total: 1 },
  });
});

it('a cursor of another tenant reaches no rows', async () => {
  for (let index = 0; index < 3; index += 1) await as('acme', 'POST', '/functions', echo);
  const { body } = await as('acme', 'GET', '/functions?limit=1');
  const { nextCursor } = body['meta'] as { nextCursor: string };
  const answer = await as('umbrella', 'GET', `/functions?limit=1&cursor=${encodeURIComponent(nextCursor)}`);
  const rows = (answer.body['data'] ?? []) as { name: string }[];
  expect(rows.filter(({ name }) => name === echo.name)).toEqual([]);
});

it('rows of the other tenant stay unchanged', async () => {
  expect((await as('acme', 'GET', `/functions/${functionId}`)).body).toMatchObject(echo);
  expect((await as('acme', 'GET', `/functions/${functionId}/versions`)).body['meta']).toMatchObject({ total: 1 });
  expect((await as('acme', 'GET', `/functions/${functionId}/executions`)).body['meta']).toMatchObject({ total: 1 });
});
