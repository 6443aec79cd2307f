import type { App, Scope } from '@patchbay/core';
import { operatorScopes, scopes } from '@patchbay/core/plugin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi } from '../api.ts';
import { DirectRequest } from '../fixtures/direct-request.ts';
import { createScopedApp } from '../fixtures/scoped-app.ts';
import { isProtected } from '../routing.ts';
import { operations } from './operations.ts';

// Every endpoint with every scope: only the callers that the table of operations names are admitted.

const all = Object.keys(scopes) as Scope[];
const rows = operations.filter(isProtected);
const scoped = rows.flatMap((row) => (row.scope === 'authenticated' ? [] : [{ ...row, scope: row.scope }]));
const [plain, further] = [scoped.filter(({ alsoNeeds }) => !alsoNeeds), scoped.filter(({ alsoNeeds }) => alsoNeeds)];
const ownRequests = rows.filter(({ scope }) => scope === 'authenticated');
let app: App;
let api: Api;

beforeAll(async () => {
  app = await createScopedApp();
  api = createApi(app);
});

afterAll(async () => {
  await app.host.stop(0);
});

interface Row {
  readonly method: string;
  readonly path: string;
}

async function send({ method, path }: Row, token: string | undefined) {
  const target = path.replaceAll(/[:*]\w+/g, '1');
  const reply = await api.respond(new DirectRequest(method, target, token));
  // Not the body, which has the format of the endpoint.
  const challenge = reply.headers['WWW-Authenticate'] ?? '';
  const [, code = reply.status === 401 ? 'unauthenticated' : undefined] = /error="(.*?)"/.exec(challenge) ?? [];
  const [, scope] = /scope="(.*?)"/.exec(challenge) ?? [];
  return { status: reply.status, code, scope };
}

/** Which of these sets of scopes pass the scope check. */
async function admitted(row: Row, sets: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
  const outcomes = await Promise.all(sets.map(async (set) => ({ set, ...(await send(row, `acme/${set.join()}`)) })));
  return outcomes.filter(({ code }) => code !== 'insufficient_scope').map(({ set }) => set);
}

describe('scopes', () => {
  it.each(plain)('$method $path admits callers with $scope', async (row) => {
    const alone = all.map((scope) => [scope]);
    expect(await admitted(row, alone)).toEqual([[row.scope]]);
    const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other]));
    expect(await admitted(row, pairs)).toEqual(pairs.filter((pair) => pair.includes(row.scope)));
    const others = all.filter((scope) => scope !== row.scope);
    const star = operatorScopes.includes(row.scope) ? [] : [['*']];
    expect(await admitted(row, [[], others, ['*'], all])).toEqual([...star, all]);
    // Not a part of a name, nor another form of it.
    const alike = [
      row.scope.toUpperCase(),
      `${row.scope}.`,
      row.scope.split(':')[0] ?? '',
      `${row.scope}s`,
      '**',
      'all',
    ];
    expect(
      await admitted(
        row,
        alike.map((scope) => [scope]),
      ),
    ).toEqual([]);
    expect(await send(row, 'acme/none')).toEqual({ status: 403, code: 'insufficient_scope', scope: row.scope });
  });

  it('POST /mcp, whose methods have scopes, and DELETE /requests admit every caller', async () => {
    expect(ownRequests.map(({ id }) => id)).toEqual(['callMcp', 'cancelRequests']);
    for (const row of ownRequests) expect(await admitted(row, [[], ['models:read']])).toEqual([[], ['models:read']]);
  });

  it.each(further)('$method $path admits callers with $scope and $alsoNeeds', async (row) => {
    const needed = [row.scope, ...(row.alsoNeeds ?? [])];
    expect(await admitted(row, [needed, ['*'], all])).toEqual([needed, ['*'], all]);
    const lacking = needed.map((scope) => all.filter((other) => other !== scope));
    expect(await admitted(row, [[], ...lacking, ...all.map((scope) => [scope])])).toEqual([]);
  });

  it.each([...rows, { method: 'GET', path: '/nowhere' }, { method: 'PUT', path: '/chat' }])(
    '$method $path refuses requests without credentials',
    async (row) => {
      expect(await send(row, undefined)).toEqual({ status: 401, code: 'unauthenticated', scope: undefined });
    },
  );

  it.each([
    ['/metrics', 'metrics:read'],
    ['/tenants', 'tenants:read'],
  ])('GET %s refuses callers with every scope but that of the operator', async (path, needed) => {
    const row = { method: 'GET', path };
    const refused = { status: 403, code: 'insufficient_scope', scope: needed };
    expect(await send(row, 'acme/*')).toEqual(refused);
    expect(await send(row, `acme/*,${all.filter((scope) => scope !== needed).join()}`)).toEqual(refused);
    expect((await send(row, `acme/*,${needed}`)).status).toBe(200);
  });

  it('of settings are required if settings come with a function', async () => {
    const schema = { type: 'object' };
    const body = { name: 'x', input: schema, output: schema, code: 'echo' };
    const write = async (method: string, path: string, token: string, more: object) => {
      const reply = await api.respond(new DirectRequest(method, path, `acme/${token}`, { ...body, ...more }));
      return { status: reply.status, json: JSON.parse(reply.body as string) };
    };
    const { status, json } = await write('POST', '/functions', 'functions:write', {});
    expect(status).toBe(201);
    const settings = { model: 'dear/model' };
    for (const [method, path] of [
      ['POST', '/functions'],
      ['PUT', `/functions/${json.id}`],
    ] as const) {
      const refused = await write(method, path, 'functions:write', { settings });
      expect(refused, path).toMatchObject({
        status: 403,
        json: { code: 'insufficient_scope', scope: 'settings:write' },
      });
      const allowed = await write(method, path, 'functions:write,settings:write', { settings });
      expect(allowed.status, path).toBeLessThan(300);
    }
  });

  it('gateway:invoke is required if a call of a stored function chooses a model', async () => {
    const schema = { type: 'object' };
    const modelBacked = { name: 'modelBacked', input: schema, output: schema, settings: { model: 'dear/model' } };
    const call = async (method: string, path: string, token: string, body: object) => {
      const reply = await api.respond(new DirectRequest(method, path, `acme/${token}`, body));
      const { code, scope } = JSON.parse(reply.body as string) as { code?: string; scope?: string };
      return { status: reply.status, code, scope };
    };
    expect((await call('POST', '/functions', '*', modelBacked)).status).toBe(201);
    const refused = { status: 403, code: 'insufficient_scope', scope: 'gateway:invoke' };
    const chosen = { input: {}, model: 'other/model' };
    expect(await call('POST', '/call/modelBacked', 'functions:execute', chosen)).toEqual(refused);
    const streamed = { ...chosen, stream: true };
    expect(await call('POST', '/call/modelBacked', 'functions:execute', streamed)).toEqual(refused);
    // There is no such model, and no provider: both passed the scope check.
    for (const [token, body] of [
      ['functions:execute', { input: {} }] as const,
      ['functions:execute,gateway:invoke', chosen] as const,
    ]) {
      expect((await call('POST', '/call/modelBacked', token, body)).code).not.toBe('insufficient_scope');
    }
  });

  it('without an endpoint are listed as announced', () => {
    const announced: readonly Scope[] = [
      'settings:read',
      'settings:write',
      'webhooks:read',
      'webhooks:write',
      'usage:read',
      'metrics:read',
      // Required by requests that name tools of mounted servers.
      'tools:call',
      // Required by the kind of key to create, and by no endpoint.
      'keys:permanent',
    ];
    const used = new Set(scoped.map(({ scope }) => scope));
    expect(all.filter((scope) => !used.has(scope) && !announced.includes(scope))).toEqual([]);
  });
});
