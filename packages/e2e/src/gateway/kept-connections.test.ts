import openai from '@patchbay/provider-openai';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from './start-gateway.ts';

const messages = [{ role: 'user', content: 'Hello' }];
/** More than the retries that a gateway has at once. */
const REQUESTS = 30;

it.each([
  ['/chat', { model: 'only/one', messages }],
  ['/chat', { model: 'only/one', messages, stream: true }],
  ['/v1/chat/completions', { model: 'only/one', messages }],
])(
  'an upstream that closes kept connections as they are used again fails no request of POST %s %j',
  async (path, body) => {
    const upstream = await startUpstream({ dialect: 'openai' });
    onTestFinished(() => upstream.stop());
    const answered = new Set<number>();
    const healthy = upstreamReplies.healthy();
    const [reset, close] = [upstreamReplies.reset(), upstreamReplies.close()];
    upstream.script((exchange) => {
      const { connection } = exchange.request;
      if (answered.has(connection)) return (connection % 2 === 0 ? reset : close)(exchange);
      answered.add(connection);
      return healthy(exchange);
    });
    const models = [{ name: 'one', vendor: 'none', quality: 0.9, pricing: { input: 1, output: 4 } }];
    const gateway = await startGateway({
      providers: { only: { use: openai, with: { apiKey: 'sk-one', baseUrl: upstream.baseUrl, models } } },
    });
    onTestFinished(() => gateway.stop());

    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const { status, text } = await gateway.post(path, body);
      expect([status, text]).toEqual([200, expect.not.stringContaining('"error"')]);
    }
    expect(answered.size).toBe(REQUESTS);
    expect(upstream.requests).toHaveLength(2 * REQUESTS - 1);
    const calls = (await gateway.metrics()).match(/^gen_ai_client_operation_duration_seconds_count.*$/gm);
    expect(calls).toEqual([expect.stringMatching(/error_type="" *\}? 30$/)]);
  },
);
