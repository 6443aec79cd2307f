import { createTransport } from '@patchbay/core';
import { type Provider, toolCallsOf } from '@patchbay/core/provider';
import { startUpstream, testContext, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const messages = [{ role: 'user', content: 'Hi' }] as const;
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

function create(config: object): Provider {
  const options = { baseUrl: `${upstream.baseUrl}/`, apiVersion: 'v1beta', apiKey: ' key-1\n', ...config };
  const mount = 'providers.google';
  return plugin.definition.create({ config: options, deps: { transport }, logger, mount, directory: '.' });
}

describe('provider-google', () => {
  it('the key is in a header, and in no path', async () => {
    const provider = create({ models: [{ name: 'gemini-embedding-2', dimensions: 8 }] });
    await provider.chat({ model: 'gemini-3.8-flash', messages }, testContext());
    for await (const delta of provider.stream?.({ model: 'gemini-3.8-flash', messages }, testContext()) ?? [])
      void delta;
    await provider.embed?.({ model: 'gemini-embedding-2', texts: ['Hi'] }, testContext());
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/v1beta/models/gemini-3.8-flash:generateContent',
      '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
      '/v1beta/models/gemini-embedding-2:embedContent',
    ]);
    // Paths end up in logs.
    for (const { headers, path } of upstream.requests) {
      expect(headers['x-goog-api-key']).toBe('key-1');
      expect(path).not.toContain('key-1');
    }
  });

  it('embeds several texts in one request, with their length', async () => {
    const provider = create({ models: [{ name: 'gemini-embedding-2', dimensions: 8 }] });
    const embeddings = [
      [0.5, 0.25],
      [1, -1],
    ];
    upstream.script(upstreamReplies.healthy({ embeddings }));
    const request = { model: 'gemini-embedding-2', texts: ['One', 'Two'], dimensions: 2 };
    expect(await provider.embed?.(request, testContext())).toMatchObject({ embeddings });
    const [sent] = upstream.requests;
    expect(sent?.path).toBe('/v1beta/models/gemini-embedding-2:batchEmbedContents');
    expect(sent?.json).toEqual({
      requests: ['One', 'Two'].map((text) => ({
        model: 'models/gemini-embedding-2',
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    });
    const longer = provider.embed?.({ ...request, dimensions: 9 }, testContext());
    await expect(longer).rejects.toMatchObject({ code: 'unsupported_parameter' });
    expect(upstream.requests).toHaveLength(1);
  });

  it('brings the signature of a text back to the model', async () => {
    const parts = [
      { text: 'Hm.', thought: true },
      { text: 'Seventeen.', thoughtSignature: 'c2ln' },
    ];
    const answer = JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
    upstream.script(upstreamReplies.body(answer), upstreamReplies.healthy());
    const provider = create({});
    const { content } = await provider.chat({ model: 'gemini-3.8-flash', messages }, testContext());
    const history = [...messages, { role: 'assistant', content }, { role: 'user', content: 'And?' }] as const;
    await provider.chat({ model: 'gemini-3.8-flash', messages: history }, testContext());
    expect(upstream.requests[1]?.json).toMatchObject({
      contents: [
        {},
        { parts: [{ text: 'Hm.', thought: true }, { text: 'Seventeen.' }, { text: '', thoughtSignature: 'c2ln' }] },
        {},
      ],
    });
  });

  it('warns that the tokens of an embedding are estimated', async () => {
    const provider = create({ models: [{ name: 'gemini-embedding-2', dimensions: 8 }] });
    const result = await provider.embed?.({ model: 'gemini-embedding-2', texts: ['x'.repeat(40)] }, testContext());
    expect(result).toMatchObject({ tokens: 10, warnings: ['google did not count tokens: estimated'] });
  });

  it('brings the signature of a thought back to the model that had it', async () => {
    const parts = [{ functionCall: { name: 'find', args: {} }, thoughtSignature: 'c2ln' }];
    const answer = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
    upstream.script(upstreamReplies.body(JSON.stringify(answer)), upstreamReplies.healthy());
    const provider = create({});
    const request = {
      model: 'gemini-3.8-flash',
      messages,
      tools: [{ name: 'find', parameters: { type: 'object' } }],
    } as const;
    const { content } = await provider.chat(request, testContext());
    const result = { role: 'tool', toolCallId: toolCallsOf(content)[0]?.id ?? '', content: 'found' } as const;
    const history = [...messages, { role: 'assistant', content }, result] as const;
    await provider.chat({ ...request, messages: history }, testContext());
    expect(upstream.requests[1]?.json).toMatchObject({
      contents: [{}, { parts: [{ thoughtSignature: 'c2ln' }] }, { parts: [{ functionResponse: { name: 'find' } }] }],
    });
  });

  it.each([
    ['gemini-3.8-flash', 'temperature'],
    ['gemini-3.1-flash-lite', 'frequencyPenalty'],
    ['gemini-own', 'presencePenalty'],
  ] as const)('%s says that it does not take %s, which Gemini would ignore or refuse', async (model, parameter) => {
    const models = await create({ models: [{ name: 'gemini-own' }] }).models();
    expect(models.find(({ name }) => name === model)?.unsupported).toContain(parameter);
  });
});
