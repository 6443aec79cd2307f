import { definePlugin } from '@patchbay/core/plugin';
import { createMemoryStorage } from '@patchbay/core/storage';
import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import {
  chats,
  embeddings,
  type ForwardingApp,
  message,
  messages,
  question,
  startForwardingApp,
} from './forwarding-app.ts';

const faultOf = async (response: Response) => {
  const { error } = (await response.json()) as {
    error: { code?: string; type: string; param?: string; message: string };
  };
  return { status: response.status, ...error };
};
/** The usage of all tenants, once it is written. */
const usageOf = async ({ test }: ForwardingApp) => {
  const caller = await test.app.services.authenticate({ token: test.token() });
  const context = { caller, requestId: 'r', signal: AbortSignal.timeout(60_000), logger: test.app.host.logger };
  const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  return (await test.app.services.usage.report({ ...range, groupBy: 'model' }, context)).groups;
};
const budget = (usd: number) => ({ limits: { key: { budget: { usd, period: 'day' } } } }) as const;
const priced = {
  prompt_tokens: 100,
  completion_tokens: 50,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 40 },
};
const completion = (more: object = {}) =>
  upstreamReplies.body(
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: priced,
      ...more,
    }),
  );

describe('a forwarded request', () => {
  it('needs credentials, and the scope of the gateway', async () => {
    const app = await startForwardingApp();
    for (const [token, status] of [
      ['nobody', 401],
      [app.test.token({ scopes: ['functions:read'] }), 403],
    ] as const) {
      expect((await app.send(chats, question(), { token })).status).toBe(status);
      expect((await app.send(messages, message(), { token })).status).toBe(status);
    }
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });

  it('reaches no model that the policy of its tenant denies, also by fallback', async () => {
    const app = await startForwardingApp({ tenants: { test: { models: { deny: ['openai/large'] } } } });
    const denied = await faultOf(await app.send(chats, question()));
    expect(denied).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    const routing = { fallbacks: ['openai/large'] };
    expect((await app.send(chats, question('other/large', { routing }))).status).toBe(404);
    expect([...app.openai.requests, ...app.other.requests]).toEqual([]);
  });

  it('counts in the rate limit of models', async () => {
    const app = await startForwardingApp({ limits: { key: { model: { requests: 1, seconds: 3_600, burst: 1 } } } });
    expect((await app.send(chats, question())).status).toBe(200);
    const refused = await app.send(chats, question());
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await faultOf(refused)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(app.openai.requests).toHaveLength(1);
  });

  // At 10 USD for 1,000,000 tokens of output, an answer of 1,000 tokens costs a cent.
  it.each([
    ['the length of the answer', {}, 1],
    ['max_completion_tokens', { max_completion_tokens: 500 }, 0.5],
    ['n', { n: 4 }, 4],
    ['service_tier', { service_tier: 'priority' }, 2.5],
  ])('reserves its cost by %s', async (_, more, cents) => {
    const app = await startForwardingApp(budget(0.1));
    app.openai.script(upstreamReplies.hang());
    const leaving = new AbortController();
    const arrived = app.openai.nextRequest();
    const first = app.send(chats, question('openai/large', more), { signal: leaving.signal });
    await arrived;
    // As much as is left is let through, and the next one is not: the reservation can be read off the refusal.
    const fills = Math.ceil((10 - cents) / 1);
    for (let index = 0; index < fills; index += 1) {
      const next = app.openai.nextRequest();
      void app.send(chats, question(), { signal: leaving.signal }).catch(() => undefined);
      await next;
    }
    const refused = await faultOf(await app.send(chats, question()));
    expect(refused).toMatchObject({ status: 429, code: 'insufficient_quota' });
    expect(app.openai.requests).toHaveLength(1 + fills);
    leaving.abort();
    await first.catch(() => undefined);
  });

  it('reserves the tokens of images', async () => {
    const app = await startForwardingApp({ limits: { key: { tokensPerMinute: 4_000 } } });
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const content = [{ type: 'text', text: 'What is this?' }, image, image, image];
    const asked = { model: 'openai/large', messages: [{ role: 'user', content }], max_tokens: 500 };
    const leaving = new AbortController();
    app.openai.script(upstreamReplies.hang());
    const arrived = app.openai.nextRequest();
    void app.send(chats, asked, { signal: leaving.signal }).catch(() => undefined);
    await arrived;
    // Three images are about 3,000 tokens, so that no second request of 3,500 fits in the minute.
    expect(await faultOf(await app.send(chats, asked))).toMatchObject({ status: 429 });
    leaving.abort();
  });

  it('is in the ledger with the tokens that the vendor counted, and their cost', async () => {
    const app = await startForwardingApp();
    app.openai.script(completion());
    await (await app.send(chats, question())).text();
    const [{ totals } = { totals: {} }, ...others] = await usageOf(app);
    expect(others).toEqual([]);
    // 100 of input at 1, 50 of output at 10 USD for 1,000,000.
    expect(totals).toMatchObject({
      modelCalls: 1,
      uncachedInputTokens: 60,
      cacheReadTokens: 40,
      outputTokens: 50,
      costNanoUsd: 600_000,
    });
  });

  it('of a class of service that costs more is settled at its price', async () => {
    const app = await startForwardingApp();
    app.openai.script(completion({ service_tier: 'priority' }), completion({ service_tier: 'default' }));
    for (let index = 0; index < 2; index += 1) {
      await (await app.send(chats, question('openai/large', { service_tier: 'priority' }))).text();
    }
    expect(await usageOf(app)).toMatchObject([{ totals: { costNanoUsd: 2_100_000 } }]);
  });

  it.each([
    [chats, 'openai', question('openai/large', { stream: true })],
    [messages, 'anthropic', message('anthropic/large', { stream: true })],
  ] as const)('is settled by an estimate where its stream of %s is left', async (path, vendor, sent) => {
    const app = await startForwardingApp();
    app[vendor].script(upstreamReplies.hangMidStream({ text: 'One two three four five six seven eight nine ten' }));
    const leaving = new AbortController();
    const response = await app.send(path, sent, { signal: leaving.signal });
    const reader = response.body?.getReader();
    for (let seen = ''; !seen.includes('five'); ) seen += new TextDecoder().decode((await reader?.read())?.value);
    leaving.abort();
    await reader?.cancel().catch(() => undefined);
    await app[vendor].whenSocketsClosed();
    const [{ totals } = { totals: undefined }] = await usageOf(app);
    expect(totals).toMatchObject({ modelCalls: 1 });
    expect(totals?.uncachedInputTokens).toBeGreaterThan(0);
    // About a quarter of the characters that were seen.
    expect(totals?.outputTokens).toBeGreaterThanOrEqual(6);
    expect(totals?.outputTokens).toBeLessThan(20);
  });

  it('is counted by the metrics of models', async () => {
    const app = await startForwardingApp();
    app.openai.script(completion());
    await (await app.send(chats, question())).text();
    const metrics = await app.test.app.host.metrics();
    const sample = (name: string, ...labels: string[]) =>
      metrics.split('\n').find((line) => line.startsWith(name) && labels.every((label) => line.includes(label)));
    expect(sample('patchbay_gateway_answers_total', 'openai', 'large')).toMatch(/ 1$/);
    expect(sample('patchbay_model_tokens_total', 'openai', '"output"')).toMatch(/ 50$/);
    expect(sample('gen_ai_client_operation_duration_seconds_count', 'openai', 'large')).toMatch(/ 1$/);
  });

  it('is announced to webhooks under the id of its response, without its content', async () => {
    const storage = createMemoryStorage();
    const kept = definePlugin({
      name: 'kept-storage',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => storage,
    });
    const app = await startForwardingApp({ storage: { use: kept } });
    const hook = { url: 'https://example.com/hook', events: ['*'], enabled: false };
    expect((await app.send('/webhooks', hook)).status).toBe(201);
    app.openai.script(completion());
    const response = await app.send(chats, question());
    await response.text();
    await app.test.app.host.stop();
    const rows = await storage.scanAllTenants('webhookEvents', {}, 10);
    const { row, tenant } = rows.find(({ row: { type } }) => type === 'chat.completed') ?? {};
    expect(tenant).toBe('test');
    const event = JSON.stringify(row);
    expect(event).toContain(response.headers.get('patchbay-call'));
    expect(event).toContain(response.headers.get('request-id'));
    expect(event).not.toContain('Good morning');
  });
});

describe('a policy', () => {
  it.each([
    [chats, '{"model":"openai/large","messages":[{"role":"user","content":"x"}],"model":"other/large"}'],
    [messages, '{"model":"anthropic/large","max_tokens":9,"messages":[],"messages":[{"role":"user","content":"x"}]}'],
    [embeddings, '{"model":"openai/embed","input":"x","\\u0069nput":["y","z"]}'],
    [
      messages,
      '{"model":"anthropic/large","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search_20250305","type":"custom","name":"x"}]}',
    ],
  ])('refuses a member that occurs twice in a body of %s', async (path, body) => {
    const app = await startForwardingApp();
    expect((await app.send(path, body)).status).toBe(400);
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });

  const vendorTools = [
    [chats, question('openai/large', { tools: [{ type: 'web_search' }] }), 'tools[0].type'],
    [chats, question('openai/large', { web_search_options: {} }), 'web_search_options'],
    [messages, message('anthropic/large', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }), undefined],
    [
      messages,
      message('anthropic/large', { mcp_servers: [{ type: 'url', url: 'https://example.com/mcp', name: 'x' }] }),
      undefined,
    ],
    [
      messages,
      message('anthropic/large', { container: { skills: [{ type: 'anthropic', skill_id: 'pdf' }] } }),
      undefined,
    ],
  ] as const;
  it.each(vendorTools)('refuses tools that the vendor runs: %s %j', async (path, body, param) => {
    const app = await startForwardingApp();
    const fault = await faultOf(await app.send(path, body));
    expect(fault).toMatchObject({ status: 400, type: 'invalid_request_error', ...(param && { param }) });
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });

  it('lets them through where the config allows them, and tools that the client runs always', async () => {
    const allowing = await startForwardingApp({ gateway: { vendorTools: true } });
    for (const upstream of [allowing.openai, allowing.anthropic])
      upstream.script(upstreamReplies.body('{}', { status: 422 }));
    for (const [path, body] of vendorTools) expect((await allowing.send(path, body)).status).toBe(422);
    const app = await startForwardingApp();
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    ];
    app.anthropic.script(upstreamReplies.body('{}', { status: 422 }));
    expect((await app.send(messages, message('anthropic/large', { tools }))).status).toBe(422);
  });

  const stored = (id: string) => message('anthropic/large', { container: id });
  it('lets a tenant use the objects that it received, and no other tenant or vendor', async () => {
    const app = await startForwardingApp();
    const answer = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const made = { ...answer, usage, container: { id: 'container_1', expires_at: '2026-12-01T00:00:00Z' } };
    app.anthropic.script(upstreamReplies.body(JSON.stringify(made)));
    expect(await faultOf(await app.send(messages, stored('container_1')))).toMatchObject({
      status: 404,
      type: 'not_found_error',
    });
    expect(app.anthropic.requests).toEqual([]);
    await (await app.send(messages, message())).text();
    expect((await app.send(messages, stored('container_1'))).status).toBe(200);
    const stranger = app.test.token({ tenant: 'another' });
    expect((await app.send(messages, stored('container_1'), { token: stranger })).status).toBe(404);
    expect(app.anthropic.requests).toHaveLength(2);
  });

  it.each([
    [
      chats,
      question('openai/large', {
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
      }),
    ],
    [chats, question('openai/large', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] })],
    [
      messages,
      message('anthropic/large', {
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] }],
      }),
    ],
  ])('refuses the id of an object that no tenant received: %s %j', async (path, body) => {
    const app = await startForwardingApp();
    expect((await app.send(path, body)).status).toBe(404);
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });

  it.each([
    [
      chats,
      question('openai/large', {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/a' } }] }],
      }),
    ],
    [
      messages,
      message('anthropic/large', {
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://10.0.0.1/a' } }] }],
      }),
    ],
    [chats, question('openai/large', { messages: 'x' })],
    [chats, question('openai/large', { tools: [{ type: 'function', function: {} }] })],
    [chats, question('openai/large', { max_tokens: '1' })],
    [messages, message('anthropic/large', { system: 1 })],
    [messages, question('anthropic/large')],
    [embeddings, { model: 'openai/embed', input: [{}] }],
  ])('sends nothing that is malformed: %s %j', async (path, body) => {
    const app = await startForwardingApp();
    expect(await faultOf(await app.send(path, body))).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });
});
