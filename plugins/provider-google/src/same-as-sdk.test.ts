import { type GenerateContentRequest, GoogleGenerativeAI } from '@google/generative-ai';
import { createTransport } from '@patchbay/core';
import type { JsonObject } from '@patchbay/core/plugin';
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
  upstream = await startUpstream({ dialect: 'google' });
  transport = createTransport();
});

afterEach(async () => {
  await transport.stop();
  await upstream.stop();
});

function provider(baseUrl: string) {
  const config = { apiKey: 'key-1', baseUrl, apiVersion: 'v1beta', models: [] };
  const mount = 'providers.google';
  return plugin.definition.create({ config, deps: { transport }, logger, mount, directory: '.' });
}

/**
 * A request as the upstream receives it, without headers about the SDK, the connection, and the
 * list of safety settings, which the SDK sends although it is empty.
 */
function comparable({ method, path, headers, json }: UpstreamRequest) {
  const shown = Object.entries(headers).filter(
    ([name]) =>
      !/^(x-goog-api-client|accept|content-length|user-agent|connection|accept-encoding|accept-language|sec-fetch-mode)$/.test(
        name,
      ),
  );
  const { safetySettings: _, ...body } = json as JsonObject;
  return { method, path, headers: Object.fromEntries(shown), body };
}

const chat: ChatRequest = {
  model: 'gemini-3.1-flash-lite',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Wie heißt „Bern“ 🐻?' },
        { type: 'image', data: 'AAAA', mediaType: 'image/png' },
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

describe('requests to Google match those of its SDK', () => {
  it('with and without streaming, and for embeddings', async () => {
    const ours = provider(upstream.baseUrl);
    const theirs = new GoogleGenerativeAI('key-1');
    const at = { baseUrl: upstream.baseUrl };
    const model = theirs.getGenerativeModel({ model: 'gemini-3.1-flash-lite' }, at);
    await ours.chat(chat, testContext());
    await model.generateContent(bodyOf<GenerateContentRequest>(0));
    for await (const _ of ours.stream?.(chat, testContext()) ?? []);
    for await (const _ of (await model.generateContentStream(bodyOf<GenerateContentRequest>(2))).stream);
    await ours.embed?.({ model: 'gemini-embedding-2', text: 'Grüße' }, testContext()).catch(() => undefined);
    await theirs.getGenerativeModel({ model: 'gemini-embedding-2' }, at).embedContent(bodyOf(4));

    const requests = upstream.requests.map(comparable);
    expect(requests).toHaveLength(6);
    for (const index of [0, 2, 4]) expect(requests[index]).toEqual(requests[index + 1]);
    expect(requests[0]?.headers).toMatchObject({ 'x-goog-api-key': 'key-1' });
  });
});

/** The body that we sent, for the SDK to send. */
function bodyOf<T>(index: number): T {
  return upstream.requests[index]?.json as unknown as T;
}
