import Anthropic from '@anthropic-ai/sdk';
import { createTransport } from '@patchbay/core';
import type { ChatRequest } from '@patchbay/core/provider';
import { startUpstream, testContext, type Upstream, type UpstreamRequest } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';

// The SDK is not loaded at run time: it would cost more than the rest of a request. It is asked here whether it would
// send anything else.

const logger = { debug() {}, info() {}, warn() {}, error() {} };
let upstream: Upstream;
let transport: ReturnType<typeof createTransport>;

beforeEach(async () => {
  upstream = await startUpstream({ dialect: 'anthropic' });
  transport = createTransport();
});

afterEach(async () => {
  await transport.stop();
  await upstream.stop();
});

function provider(baseUrl: string) {
  const config = { apiKey: 'key-1', baseUrl, models: [] };
  const mount = 'providers.anthropic';
  return plugin.definition.create({ config, deps: { transport }, logger, mount, directory: '.' });
}

/** The SDK as it is, but for the version of the API: its own refuses what older models take. */
function sdk(baseURL: string): Anthropic {
  const defaultHeaders = { 'anthropic-version': '2023-06-01', 'x-api-key': 'key-1', authorization: null };
  return new Anthropic({ apiKey: 'key-1', baseURL, maxRetries: 0, logLevel: 'off', defaultHeaders });
}

/** The request without headers that describe the machine to the SDK's maker, or belong to the connection. */
function comparable({ method, path, headers, body }: UpstreamRequest) {
  const shown = Object.entries(headers).filter(
    ([name]) => !/^(x-stainless-.*|user-agent|connection|accept-encoding|accept-language|sec-fetch-mode)$/.test(name),
  );
  return { method, path, headers: Object.fromEntries(shown), body };
}

const chat: ChatRequest = {
  model: 'claude-haiku-4-5',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Wie heißt „Bern“ 🐻?' },
        { type: 'image', url: 'https://a.test/b' },
      ],
    },
    { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'find', arguments: { city: 'Bern' } }] },
    { role: 'tool', toolCallId: 'call_1', content: '7' },
  ],
  maxTokens: 50,
  temperature: 0.5,
  tools: [{ name: 'find', description: 'Finds', parameters: { type: 'object' } }],
  toolChoice: { name: 'find' },
};

describe('requests to Anthropic match those of its SDK', () => {
  it.each(['', '/'])('with a base URL that ends in "%s"', async (end) => {
    const baseUrl = upstream.baseUrl + end;
    const ours = provider(baseUrl);
    const theirs = sdk(baseUrl);
    await ours.chat(chat, testContext());
    await theirs.messages.create(bodyOf<Anthropic.MessageCreateParamsNonStreaming>(0));
    for await (const _ of ours.stream?.(chat, testContext()) ?? []);
    for await (const _ of await theirs.messages.create(bodyOf<Anthropic.MessageCreateParamsStreaming>(2)));

    const requests = upstream.requests.map(comparable);
    expect(requests).toHaveLength(4);
    for (const index of [0, 2]) expect(requests[index]).toEqual(requests[index + 1]);
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'key-1', 'anthropic-version': '2023-06-01' });
  });
});

/** The body that we sent, for the SDK to send. */
function bodyOf<T>(index: number): T {
  return upstream.requests[index]?.json as unknown as T;
}
