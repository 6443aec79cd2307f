import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, startServerProcess, type TemporaryData, temporaryData } from '../e2e/server-process.ts';
import { type OtlpReceiver, startOtlpReceiver } from './otlp-receiver.ts';

let upstream: Upstream;
let collector: OtlpReceiver;
let data: TemporaryData;

beforeEach(async () => {
  [upstream, collector, data] = await Promise.all([
    startUpstream({ dialect: 'openai' }),
    startOtlpReceiver(),
    temporaryData(),
  ]);
});

afterEach(async () => {
  await upstream.stop();
  await data.remove();
});

const start = () =>
  startServerProcess(data.path, {
    config: `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
telemetry: { use: "@patchbay/telemetry-otel", with: { url: "${collector.url}", timeoutMs: 2000 } }
providers:
  main:
    use: "@patchbay/provider-openai"
    with: { apiKey: ${canary('key')}, baseUrl: "${upstream.baseUrl}", models: [{ name: twin, vendor: none }] }
`,
  });

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
const chat = { model: 'main/twin', messages: [{ role: 'user', content: 'a question of a caller' }] };

describe('telemetry over OTLP', () => {
  it('sends requests, executions and calls of models as one trace, the rest of it at the stop', async () => {
    const server = await start();
    const schema = { type: 'object', properties: {} };
    const code = 'export default async (_input, { ai }) => { await ai.generate({ prompt: "hidden" }); return {}; }';
    const made = { name: 'f', description: 'd', input: schema, output: schema, code };
    const id = String((await ask(server, 'POST', '/functions', made)).body['id']);
    expect((await ask(server, 'POST', `/functions/${id}/execute`, { input: {} }, headers)).status).toBe(200);
    expect((await ask(server, 'POST', '/chat', { ...chat, stream: false }, headers)).status).toBe(200);
    expect((await ask(server, 'POST', '/chat', { ...chat, model: 'main/nothing' })).status).toBe(404);
    expect((await server.end('SIGTERM')).code).toBe(0);
    await collector.stop();

    const ofTrace = collector.spans.filter((span) => span.traceId === traceId);
    const [execute, run] = ['POST /functions/:id/execute', 'execute function'].map((name) =>
      ofTrace.find((span) => span.name === name),
    );
    expect(execute).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      attributes: { 'http.route': '/functions/:id/execute' },
    });
    expect(run).toMatchObject({ parentSpanId: execute?.spanId, attributes: { 'patchbay.function.id': id } });
    const calls = ofTrace.filter(({ name }) => name === 'chat twin');
    expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([
      run?.spanId,
      ofTrace.find(({ name }) => name === 'POST /chat')?.spanId,
    ]);
    expect(calls[1]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'main',
      'gen_ai.request.model': 'twin',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 6,
    });
    const failed = collector.spans.find((span) => span.name === 'POST /chat' && span.traceId !== traceId);
    expect(failed?.attributes).toMatchObject({ 'error.type': 'model_not_found' });
    expect(collector.metricNames).toContain('http.server.request.duration');
    expect(collector.metricNames).toContain('gen_ai.client.token.usage');
    expect(collector.text()).not.toContain('a question of a caller');
    expect(collector.text()).not.toContain('hidden');
  });

  it('fails no request while the collector is away, and stops in time', async () => {
    const server = await start();
    await collector.stop();
    expect((await ask(server, 'POST', '/chat', chat)).status).toBe(200);
    expect((await server.end('SIGTERM')).code).toBe(0);
    expect(server.log.map(({ message }) => message)).toContain('measurements cannot be sent to the collector');
  });
});
