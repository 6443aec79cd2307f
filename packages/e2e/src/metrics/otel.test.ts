import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServerHere } from '../driver/server-here.ts';
import { adminKey, ask, type TemporaryData, temporaryData } from '../driver/server-process.ts';
import { type HookReceiver, startHookReceiver } from './hook-receiver.ts';
import { type OtlpReceiver, startOtlpReceiver } from './otlp-receiver.ts';

let upstream: Upstream;
let collector: OtlpReceiver;
let hooks: HookReceiver;
let data: TemporaryData;

beforeEach(async () => {
  [upstream, collector, hooks, data] = await Promise.all([
    startUpstream({ dialect: 'openai' }),
    startOtlpReceiver(),
    startHookReceiver(),
    temporaryData(),
  ]);
});

afterEach(async () => {
  await upstream.stop();
  await hooks.stop();
  await data.remove();
});

const code = 'executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }';

/** @param more Sections of the config. Default: what runs functions. */
const start = (options = '', more = code) =>
  startServerHere(data.path, {
    config: `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
${more}
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
webhooks: { allow: ["127.0.0.0/8"] }
telemetry: { use: "@patchbay/telemetry-otel", with: { url: "${collector.url}", timeoutMs: 2000${options} } }
providers:
  main:
    use: "@patchbay/provider-openai"
    with: { apiKey: ${canary('key')}, baseUrl: "${upstream.baseUrl}", models: [{ name: twin, vendor: none }] }
`,
  });

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'acme=1' };
const chat = { model: 'main/twin', messages: [{ role: 'user', content: 'a question of a caller' }] };

describe('telemetry over OTLP', () => {
  it('sends requests, executions and calls of models as one trace, and every metric, the rest of it at the stop', async () => {
    const server = await start();
    const schema = { type: 'object', properties: {} };
    const code = 'export default async (_input, { ai }) => { await ai.generate({ prompt: "hidden" }); return {}; }';
    const made = { name: 'f', description: 'd', input: schema, output: schema, code };
    const id = String((await ask(server, 'POST', '/functions', made)).body['id']);
    expect((await ask(server, 'POST', `/functions/${id}/execute`, { input: {} }, headers)).status).toBe(200);
    const sampled = { ...chat, stream: false, maxTokens: 50, temperature: 0.5 };
    expect((await ask(server, 'POST', '/chat', sampled, headers)).status).toBe(200);
    expect((await ask(server, 'POST', '/chat', { ...chat, model: 'main/nothing' })).status).toBe(404);
    expect((await server.end()).code).toBe(0);
    await collector.stop();

    const ofTrace = collector.spans.filter((span) => span.traceId === traceId);
    const [execute, run] = ['POST /functions/:id/execute', 'execute function'].map((name) =>
      ofTrace.find((span) => span.name === name),
    );
    expect(execute).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      kind: 2,
      attributes: { 'http.route': '/functions/:id/execute' },
    });
    expect(run).toMatchObject({ parentSpanId: execute?.spanId, attributes: { 'patchbay.function.id': id } });
    const calls = ofTrace.filter(({ name }) => name === 'chat twin');
    expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([
      run?.spanId,
      ofTrace.find(({ name }) => name === 'POST /chat')?.spanId,
    ]);
    expect(calls[1]).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'main',
        'gen_ai.request.model': 'twin',
        'gen_ai.request.max_tokens': 50,
        'gen_ai.request.temperature': 0.5,
        'gen_ai.output.type': 'text',
        'gen_ai.response.model': 'twin',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 6,
      },
    });
    const failed = collector.spans.find((span) => span.name === 'POST /chat' && span.traceId !== traceId);
    expect(failed).toMatchObject({ attributes: { 'error.type': 'model_not_found' }, status: { code: 2 } });

    const { metrics } = collector;
    const seconds = { unit: 's', kind: 'histogram' };
    expect(metrics.get('http.server.request.duration')).toMatchObject(seconds);
    expect(metrics.get('http.server.request.duration')?.bounds).toContain(0.001);
    expect(metrics.get('gen_ai.client.token.usage')?.bounds).toContain(65_536);
    expect(metrics.get('patchbay.storage.operation.duration')).toMatchObject(seconds);
    // Absent where it succeeded, as the conventions have it.
    const [call] = metrics.get('gen_ai.client.operation.duration')?.points ?? [];
    expect(call?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'main',
      'gen_ai.request.model': 'twin',
    });
    expect(metrics.get('patchbay.part.health')).toMatchObject({ kind: 'gauge' });
    expect(metrics.get('patchbay.part.health')?.points).toContainEqual({ attributes: { part: 'storage' }, value: 1 });
    expect(metrics.get('process.memory.usage')?.points[0]?.value).toBeGreaterThan(10_000_000);
    expect(metrics.get('process.cpu.time')).toMatchObject({ kind: 'sum', unit: 's' });
    expect(metrics.get('patchbay.queue.jobs')).toMatchObject({ kind: 'gauge', unit: '{job}' });
    // No other party receives trace headers unless configured.
    expect(upstream.requests.flatMap((request) => Object.keys(request.headers))).not.toContain('traceparent');
    expect(collector.text()).not.toContain('a question of a caller');
    expect(collector.text()).not.toContain('hidden');
  });

  it('continues at providers and webhook receivers where propagation is on', async () => {
    const server = await start(', propagate: [models, webhooks]');
    const webhook = { url: hooks.url, events: ['*'] };
    expect((await ask(server, 'POST', '/webhooks', webhook)).status).toBe(201);
    await ask(server, 'POST', '/chat', { ...chat, stream: false }, headers);
    const response = await fetch(`${server.url}/chat`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...chat, stream: true }),
    });
    expect(await response.text()).toContain('event: done');
    const schema = { type: 'object', properties: {} };
    const code = 'export default () => ({})';
    await ask(
      server,
      'POST',
      '/functions',
      { name: 'f', description: 'd', input: schema, output: schema, code },
      headers,
    );
    const delivered = await hooks.next();
    expect((await server.end()).code).toBe(0);
    await collector.stop();

    const calls = collector.spans.filter(({ name }) => name === 'chat twin');
    expect(calls).toHaveLength(2);
    expect(upstream.requests.map((request) => request.headers['traceparent'])).toEqual(
      calls.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
    );
    expect(upstream.requests[0]?.headers['tracestate']).toBe('acme=1');
    const sent = collector.spans.filter(({ name }) => name === 'POST webhook');
    const own = sent.find((span) => delivered['traceparent'] === `00-${span.traceId}-${span.spanId}-01`);
    expect(own?.attributes).toMatchObject({ 'http.response.status_code': 204, 'http.request.method': 'POST' });
    // It begins there: it is not a part of whichever request woke the sender.
    expect(own?.parentSpanId).toBeUndefined();
    expect(own?.traceId).not.toBe(traceId);
  });

  it.each(['away', 'hang', 500] as const)(
    'does not fail requests or the stop while the collector is %s',
    async (how) => {
      const server = await start('', '');
      if (how === 'away') await collector.stop();
      else collector.behave = how;
      expect((await ask(server, 'POST', '/chat', chat)).status).toBe(200);
      const exit = server.end();
      expect((await exit).code).toBe(0);
      const said = server.log.map(({ message }) => message);
      expect(said.filter((message) => /telemetry/.test(message))).not.toEqual([]);
      if (how !== 'away') await collector.stop();
    },
  );
});
