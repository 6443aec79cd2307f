import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerHere, startServerHere } from '../driver/server-here.ts';
import { type Answer, adminKey, ask, type TemporaryData, temporaryData } from '../driver/server-process.ts';

// Two servers on one storage and one file of limits: how often a function runs holds for both together.

let shared: TemporaryData;
let folders: readonly TemporaryData[] = [];
let servers: readonly ServerHere[] = [];

const config = (folder: string) => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: "${join(folder, 'patchbay.sqlite')}" } }
executor: { use: "@patchbay/executor-deno" }
rateLimiter: { use: "@patchbay/limiter-sqlite", with: { file: "${join(folder, 'limits.sqlite')}" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: "${join(folder, 'secret')}"
`;

beforeAll(async () => {
  shared = await temporaryData();
  folders = [await temporaryData(), await temporaryData()];
  const started: ServerHere[] = [];
  for (const { path } of folders) started.push(await startServerHere(path, { config: config(shared.path) }));
  servers = started;
});
afterAll(async () => {
  for (const server of servers) await server.end();
  for (const folder of [...folders, shared]) await folder.remove();
});

it('the rate limit of a function holds for all servers together, and each counts the requests that it refused', async () => {
  const [one, other] = servers as readonly [ServerHere, ServerHere];
  const empty = { type: 'object', properties: {} };
  const source = { name: 'Rare', input: empty, output: empty, code: 'export default () => ({})' };
  const { id } = (await ask(one, 'POST', '/functions', source)).body;
  const path = `/functions/${String(id)}`;
  const rateLimit = { requests: 1, seconds: 3_600, burst: 2 };
  expect((await ask(one, 'PUT', `${path}/settings`, { rateLimit })).status).toBe(200);
  const execute = (server: ServerHere): Promise<Answer> => ask(server, 'POST', `${path}/execute`, { input: {} });

  expect([(await execute(one)).status, (await execute(other)).status]).toEqual([200, 200]);
  for (const server of [one, other, other]) {
    const { status, headers, body } = await execute(server);
    expect([status, body['code'], body['violated-policies']]).toEqual([429, 'rate_limited', ['function']]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
  }
  const refusals = async ({ url }: ServerHere): Promise<number> => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    return Number(/^patchbay_limit_refusals_total\{code="rate_limited",policy="function"\} (\d+)$/m.exec(text)?.[1]);
  };
  expect([await refusals(one), await refusals(other)]).toEqual([1, 2]);
});
