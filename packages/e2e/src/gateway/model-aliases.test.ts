import { canary } from '@patchbay/canaries';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Names of the config for models, and the routing of a request, from the socket of the client to that of the vendor.

const [openai, anthropic] = await Promise.all([
  startUpstream({ dialect: 'openai' }),
  startUpstream({ dialect: 'anthropic' }),
]);
afterAll(() => Promise.all([openai.stop(), anthropic.stop()]));
beforeEach(() => {
  for (const upstream of [openai, anthropic]) upstream.script();
});

const configWith = (fast: string): string => `
patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: "\${PATCHBAY_DATA}/patchbay.db" } }
providers:
  openai: { use: "@patchbay/provider-openai", with: { apiKey: "${canary('key-of-openai')}", baseUrl: "${openai.baseUrl}", catalogue: true } }
  anthropic:
    { use: "@patchbay/provider-anthropic", with: { apiKey: "${canary('key-of-anthropic')}", baseUrl: "${anthropic.baseUrl}" } }
gateway:
  aliases:
    fast: { model: ${fast} }
    safe: { model: openai/gpt-4.1, fallbacks: [anthropic/claude-haiku-4-5] }
    hidden: { model: openai/gpt-4.1-nano }
    local: { model: auto, routing: { providers: { allow: [anthropic] }, optimize: cost } }
tenants: { default: { models: { deny: [openai/gpt-4.1-nano] } } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
limits: { off: true }
secretFile: "\${PATCHBAY_DATA}/secret"
`;
const server = useServerHere({ config: configWith('openai/gpt-4.1-mini') });

const messages = [{ role: 'user', content: 'hello' }];
const endpoints = ['/chat', '/v1/chat/completions', '/v1/messages', '/v1/responses'] as const;
const ask = (path: string, model: string, more: object = {}): Promise<Answer> =>
  server.ask('POST', path, {
    model,
    ...(path === '/v1/responses' ? { input: 'hello' } : { messages }),
    [{ '/chat': 'maxTokens', '/v1/responses': 'max_output_tokens' }[path] ?? 'max_tokens']: 50,
    ...more,
  });
const routeOf = ({ headers }: Answer) => headers.get('patchbay-route');

describe.each(endpoints)('an alias at %s', (path) => {
  it('stands for its model, also under the prefix that pickers show', async () => {
    for (const name of ['fast', 'anthropic/fast']) {
      const answer = await ask(path, name);
      expect([answer.status, routeOf(answer)]).toEqual([200, 'named;alias="fast"']);
      expect(openai.requests.at(-1)?.json).toMatchObject({ model: 'gpt-4.1-mini' });
    }
  });

  it('brings its fallbacks', async () => {
    openai.script(upstreamReplies.status(500));
    const answer = await ask(path, 'safe');
    expect(answer.status).toBe(200);
    // A model that has failed at other endpoints is not asked any more.
    expect(routeOf(answer)).toMatch(/^named;alias="safe"(?:$|;failed="openai\/gpt-4.1 )/);
    expect(anthropic.requests.at(-1)?.json).toMatchObject({ model: 'claude-haiku-4-5' });
  });

  it('brings its routing', async () => {
    const answer = await ask(path, 'local');
    expect(answer.status).toBe(200);
    expect(routeOf(answer)).toMatch(/^auto;alias="local"/);
    expect(anthropic.requests.at(-1)?.json).toMatchObject({ model: expect.stringContaining('claude') });
  });

  it('gives no model that the tenant may not use', async () => {
    const before = openai.requests.length;
    for (const name of ['hidden', 'anthropic/hidden']) expect((await ask(path, name)).status).toBe(404);
    expect(openai.requests).toHaveLength(before);
  });
});

it('the list of models has aliases of models that the tenant may use, under both names', async () => {
  const { body } = await server.ask('GET', '/v1/models?limit=1000');
  const ids = (body['data'] as readonly { readonly id: string }[]).map(({ id }) => id);
  for (const name of ['auto', 'fast', 'anthropic/fast', 'safe', 'anthropic/safe', 'local']) expect(ids).toContain(name);
  expect(ids.filter((id) => /hidden|gpt-4.1-nano/.test(id))).toEqual([]);
});

it('a reload changes what an alias stands for', async () => {
  await server.running.reload(configWith('anthropic/claude-opus-4-6'));
  await ask('/v1/messages', 'fast');
  expect(anthropic.requests.at(-1)?.json).toMatchObject({ model: 'claude-opus-4-6' });
  await server.running.reload(configWith('openai/gpt-4.1-mini'));
});

describe('the routing of a request', () => {
  // Not the model that failed before: it is not asked for a while.
  const cases = [
    ['/v1/chat/completions', 'openai/gpt-4.1-mini', openai],
    ['/v1/chat/completions', 'anthropic/claude-haiku-4-5', anthropic],
    ['/v1/messages', 'anthropic/claude-haiku-4-5', anthropic],
    ['/v1/messages', 'openai/gpt-4.1-mini', openai],
  ] as const;

  it.each(cases)('does not leave the server from %s to %s', async (path, model, upstream) => {
    const routing = { fallbacks: ['anthropic/claude-opus-4-6'], optimize: 'cost', providers: { deny: ['google'] } };
    for (const stream of [false, true]) {
      const body = { model, messages, max_tokens: 50, stream, routing };
      const response = await fetch(`${server.running.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      await response.text();
      expect(upstream.requests.at(-1)?.json).toMatchObject({ model: model.slice(model.indexOf('/') + 1) });
      expect(upstream.requests.at(-1)?.body).not.toMatch(/routing|fallbacks|optimize/);
    }
  });

  it.each(cases)('is refused with its place from %s to %s, before anything is sent', async (path, model, upstream) => {
    const before = upstream.requests.length;
    const { status, body } = await ask(path, model, { routing: { optimise: 'cost' } });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('routing.optimise');
    expect(upstream.requests).toHaveLength(before);
  });

  it('names the models that follow one that fails', async () => {
    openai.script(upstreamReplies.status(500));
    const answer = await ask('/v1/messages', 'openai/gpt-4.1', {
      routing: { fallbacks: ['anthropic/claude-haiku-4-5'] },
    });
    expect([answer.status, answer.body['model']]).toEqual([200, expect.stringContaining('claude-haiku-4-5')]);
  });
});
