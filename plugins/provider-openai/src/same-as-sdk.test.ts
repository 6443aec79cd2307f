import { createTransport } from '@patchbay/core';
import type { ChatRequest } from '@patchbay/core/provider';
import { startUpstream, testContext, type Upstream, type UpstreamRequest } from '@patchbay/testing';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';

// The SDK is not loaded at run time: it would cost more than the rest of a request. It is asked here whether it would
// send anything else.

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const account = { apiKey: 'key-1', organization: 'org-1', project: 'project-1' };
let upstream: Upstream;
let transport: ReturnType<typeof createTransport>;

beforeEach(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
  transport = createTransport();
});

afterEach(async () => {
  await transport.stop();
  await upstream.stop();
});

function provider(baseUrl: string) {
  const models = [{ name: 'text-embedding-3-small', dimensions: 8 }];
  const config = { ...account, baseUrl, catalogue: true, models };
  return plugin.definition.create({ config, deps: { transport }, logger, mount: 'providers.openai', directory: '.' });
}

function sdk(baseURL: string): OpenAI {
  return new OpenAI({ ...account, baseURL, maxRetries: 0, logLevel: 'off' });
}

/** The request without headers that describe the machine to the SDK's maker, or belong to the connection. */
function comparable({ method, path, headers, body }: UpstreamRequest) {
  const shown = Object.entries(headers).filter(
    ([name]) => !/^(x-stainless-.*|user-agent|connection|accept-encoding|accept-language|sec-fetch-mode)$/.test(name),
  );
  return { method, path, headers: Object.fromEntries(shown), body };
}

const chat: ChatRequest = {
  model: 'gpt-4o',
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

describe('requests to OpenAI match those of its SDK', () => {
  it.each(['', '/'])('with a base URL that ends in "%s"', async (end) => {
    const baseUrl = upstream.baseUrl + end;
    const ours = provider(baseUrl);
    const theirs = sdk(baseUrl);
    await ours.chat(chat, testContext());
    await theirs.chat.completions.create(bodyOf(0));
    for await (const _ of ours.stream?.(chat, testContext()) ?? []);
    for await (const _ of await theirs.chat.completions.create({ ...bodyOf(2), stream: true }));
    await ours.embed?.({ model: 'text-embedding-3-small', text: 'Grüße' }, testContext());
    await theirs.embeddings.create(bodyOf(4));

    const { temperature: _, ...response } = { ...chat, model: 'gpt-6-astra' };
    await ours.chat(response, testContext()).catch(() => undefined);
    await theirs.responses.create(bodyOf(6)).catch(() => undefined);

    const requests = upstream.requests.map(comparable);
    expect(requests.map(({ path }) => path.slice('/v1/'.length))).toEqual([
      ...Array<string>(4).fill('chat/completions'),
      ...Array<string>(2).fill('embeddings'),
      ...Array<string>(2).fill('responses'),
    ]);
    for (const index of [0, 2, 4, 6]) expect(requests[index]).toEqual(requests[index + 1]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key-1',
      'openai-organization': 'org-1',
      'openai-project': 'project-1',
    });
  });
});

/** The body that we sent, for the SDK to send. */
function bodyOf<T>(index: number): T {
  return upstream.requests[index]?.json as unknown as T;
}
