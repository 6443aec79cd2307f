import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHere, startServerHere } from '../driver/server-here.ts';
import { adminKey, type TemporaryData, temporaryData } from '../driver/server-process.ts';

let upstream: Upstream;
let data: TemporaryData;
let server: ServerHere;

beforeAll(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
  data = await temporaryData();
  const provider = `{ use: "@patchbay/provider-openai", with: { apiKey: ${canary('key')}, baseUrl: "${upstream.baseUrl}", models: [{ name: twin, vendor: none, pricing: { input: 1, output: 4 } }] } }`;
  const config = `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
providers: { main: ${provider} }
limits: { key: { model: { requests: 1, seconds: 3600, burst: 4 } } }
`;
  server = await startServerHere(data.path, { config });
});

afterAll(async () => {
  await server.end();
  await upstream.stop();
  await data.remove();
});

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const seriesValue = (text: string, series: string) => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('/metrics', () => {
  it('covers requests, executions, models, limits, the queue and the process', async () => {
    const chat = { model: 'main/twin', messages: [{ role: 'user', content: 'Hello' }] };
    const usage = { uncachedInputTokens: 100, outputTokens: 20 };
    upstream.script(
      upstreamReplies.healthy({ usage }),
      upstreamReplies.healthy({ usage }),
      upstreamReplies.status(400),
    );
    expect((await send('POST', '/chat', chat)).status).toBe(200);
    expect((await send('POST', '/chat', { ...chat, stream: true })).text).toContain('event: done');
    expect((await send('POST', '/chat', chat)).status).toBeGreaterThanOrEqual(400);
    await send('POST', '/chat', chat);
    expect((await send('POST', '/chat', chat)).status).toBe(429);
    const schema = { type: 'object', properties: {} };
    const code = 'export default () => ({})';
    const made = await send('POST', '/functions', { name: 'f', description: 'd', input: schema, output: schema, code });
    const { id } = JSON.parse(made.text) as { id: string };
    expect((await send('POST', `/functions/${id}/execute`, { input: {} })).status).toBe(200);
    await send('GET', `/nowhere/${'x'.repeat(20)}`);

    // A slot is free once the run has ended completely, shortly after its response.
    const running = async () =>
      seriesValue((await send('GET', '/metrics')).text, 'patchbay_executor_runs{state="running"}');
    await expect.poll(running).toBe(0);
    const { status, text } = await send('GET', '/metrics');
    expect(status).toBe(200);
    const of = (series: string) => seriesValue(text, series);
    const model = 'gen_ai_operation_name="chat",gen_ai_provider_name="main",gen_ai_request_model="twin"';
    expect(
      of(
        'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/chat",http_response_status_code="200"}',
      ),
    ).toBe(2);
    expect(
      of(
        'http_server_request_duration_seconds_count{http_request_method="GET",http_route="",http_response_status_code="404"}',
      ),
    ).toBe(1);
    expect(of('patchbay_execution_duration_seconds_count{outcome="completed",runner="code"}')).toBe(1);
    expect(of(`gen_ai_client_operation_duration_seconds_count{${model},error_type=""}`)).toBe(2);
    expect(text).toMatch(/gen_ai_client_operation_duration_seconds_count\{.*error_type="[a-z_]+"\} [12]/);
    expect(of(`gen_ai_client_operation_time_to_first_chunk_seconds_count{${model}}`)).toBe(1);
    expect(of(`gen_ai_client_token_usage_sum{${model},gen_ai_token_type="input"}`)).toBe(200);
    expect(
      of(
        'patchbay_model_tokens_total{gen_ai_provider_name="main",gen_ai_request_model="twin",gen_ai_token_type="output"}',
      ),
    ).toBe(40);
    expect(of('patchbay_model_cost_usd_total{gen_ai_provider_name="main",gen_ai_request_model="twin"}')).toBeCloseTo(
      0.00036,
      9,
    );
    expect(of('patchbay_limit_refusals_total{code="rate_limited",policy="key-model"}')).toBe(1);
    expect(of('patchbay_executor_runs{state="running"}')).toBe(0);
    expect(of('patchbay_queue_jobs{topic="executions"}')).toBe(0);
    expect(of('patchbay_part_health{part="storage"}')).toBe(1);
    expect(of('process_memory_usage_bytes')).toBeGreaterThan(10_000_000);
    expect(of('nodejs_eventloop_delay_p99_seconds')).toBeGreaterThanOrEqual(0);
    // No ids of anything, and nothing that a client has sent.
    expect(text).not.toContain(id);
    expect(text).not.toContain('xxxx');
  });

  it('requires the scope to read metrics', async () => {
    const { text } = await send('POST', '/keys', { name: 'scraper', scopes: ['metrics:read'] });
    const { key: secret } = JSON.parse(text) as { key: string };
    const read = (path: string, token: string) =>
      fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
    const metrics = await read('/metrics', secret);
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await read('/functions', secret)).status).toBe(403);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  });
});
