import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport } from '@patchbay/core';
import type { ChatRequest, Extra, Provider } from '@patchbay/core/provider';
import { startUpstream, testContext, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { presetNames, presets } from './presets.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const messages = [{ role: 'user', content: 'Hi' }] as const;
let upstream: Upstream;
let transport: ReturnType<typeof createTransport>;
const servers: Server[] = [];

beforeEach(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
  transport = createTransport();
});

afterEach(async () => {
  await transport.stop();
  await upstream.stop();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A provider as Patchbay starts it. */
async function start(config: object, mount = 'providers.acme'): Promise<Provider> {
  const provider = plugin.definition.create({ config, deps: { transport }, logger, mount, directory: '.' });
  await provider.start?.(AbortSignal.timeout(10_000));
  return provider;
}

/** A server on this machine, and its API. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const serving = (path: string, document: object) =>
  listen(({ url }, response) => {
    response.writeHead(url === path ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document));
  });

const hosted = presetNames.filter((name) => presets[name]?.variable !== undefined && name !== 'azure');

describe('presets of vendors', () => {
  it.each(hosted)('%s has models with a price, and is off without a key', async (preset) => {
    const { vendor, variable } = presets[preset] ?? {};
    const provider = await start({ preset, apiKey: 'key-1' });
    const models = await provider.models();
    expect(provider.off).toBeUndefined();
    expect(models.length).toBeGreaterThanOrEqual(3);
    expect(models.every((model) => model.vendor === vendor && model.quality === 0.3)).toBe(true);
    expect(models.some(({ capabilities }) => capabilities.includes('tools'))).toBe(true);
    expect((await start({ preset, apiKey: '' })).off).toBe(
      `no apiKey is set; the built-in config takes it from ${variable}`,
    );
  });

  it('azure has the address and the deployments of its customer, and its own header for the key', async () => {
    expect((await start({ preset: 'azure', apiKey: 'key-1' })).off).toBe('no baseUrl is set, which azure needs');
    const models = [{ name: 'my-deployment' }];
    const provider = await start({ preset: 'azure', apiKey: 'key-1', baseUrl: upstream.baseUrl, models });
    // The server under test is OpenAI's, which does not know the header.
    await expect(provider.chat({ model: 'my-deployment', messages }, testContext())).rejects.toThrow('401');
    expect(upstream.requests[0]?.headers).toMatchObject({ 'api-key': 'key-1' });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('ids of tool calls of another vendor get the form that Mistral wants', async () => {
    const provider = await start({
      preset: 'mistral',
      apiKey: 'key-1',
      baseUrl: upstream.baseUrl,
      models: [{ name: 'm', capabilities: ['chat', 'tools'] }],
    });
    const call = { type: 'tool-call', id: 'call_of_another_vendor', name: 'f', arguments: {} } as const;
    const request: ChatRequest = {
      model: 'm',
      messages: [
        ...messages,
        { role: 'assistant', content: [call, { ...call, id: 'abcDEF123' }] },
        { role: 'tool', toolCallId: call.id, content: '1' },
        { role: 'tool', toolCallId: 'abcDEF123', content: '2' },
      ],
    };
    await provider.chat(request, testContext());
    interface Sent {
      readonly messages: readonly {
        readonly tool_calls?: readonly { readonly id: string }[];
        readonly tool_call_id?: string;
      }[];
    }
    const sent = upstream.requests[0]?.json as Sent | undefined;
    const [, assistant, tool] = sent?.messages ?? [];
    const [first, second] = assistant?.tool_calls ?? [];
    expect(first?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(second?.id).toBe('abcDEF123');
    expect(tool?.tool_call_id).toBe(first?.id);
  });

  it('usage of a stream is asked for where a server does not send it by itself', async () => {
    for (const preset of ['mistral', 'groq']) {
      const provider = await start({ preset, apiKey: 'key-1', baseUrl: upstream.baseUrl, models: [{ name: 'm' }] });
      for await (const delta of provider.stream?.({ model: 'm', messages }, testContext()) ?? []) void delta;
    }
    const [mistral, groq] = upstream.requests.map(({ json }) => json as object);
    expect(mistral).not.toHaveProperty('stream_options');
    expect(groq).toHaveProperty('stream_options', { include_usage: true });
  });

  it('what a vendor refuses is refused before anything is sent', async () => {
    const provider = await start({ preset: 'xai', apiKey: 'key-1', baseUrl: upstream.baseUrl });
    const model = (await provider.models())[0]?.name ?? '';
    const asked = provider.chat({ model, messages, presencePenalty: 1 }, testContext());
    await expect(asked).rejects.toMatchObject({ code: 'unsupported_parameter' });
    expect(upstream.requests).toEqual([]);
  });
});

describe('values that a server ignores', () => {
  const tools = ['find', 'now'].map((name) => ({ name, parameters: { type: 'object' } }) as const);

  it('a seed, and sampling while a model reasons, are named in warnings', async () => {
    const provider = await start({
      preset: 'deepseek',
      apiKey: 'k',
      baseUrl: upstream.baseUrl,
      models: [{ name: 'm' }],
    });
    const request = { model: 'm', messages, seed: 7, temperature: 0 } as const;
    const { warnings } = await provider.chat(request, testContext());
    expect(warnings).toEqual(['acme has no seed: it was left out', 'acme ignores temperature while a model reasons']);
    const plain = await provider.chat({ ...request, reasoningEffort: 'none' }, testContext());
    expect(plain.warnings).toEqual(['acme has no seed: it was left out']);
    expect(upstream.requests[0]?.json).not.toHaveProperty('seed');
    expect(upstream.requests[0]?.json).toHaveProperty('temperature', 0);
  });

  it.each<[ChatRequest['toolChoice'], readonly string[], readonly string[]]>([
    ['auto', ['find', 'now'], []],
    ['none', [], []],
    ['required', ['find', 'now'], ['acme does not force a model to call a tool']],
    [{ name: 'now' }, ['now'], ['acme does not force a model to call a tool']],
  ])('the tool choice %j is expressed by the tools that are offered', async (toolChoice, offered, expected) => {
    const models = [{ name: 'm', capabilities: ['chat', 'tools'] }];
    const provider = await start({ preset: 'ollama', detect: false, apiKey: 'k', baseUrl: upstream.baseUrl, models });
    const request = { model: 'm', messages, tools, parallelToolCalls: true, ...(toolChoice && { toolChoice }) };
    const { warnings = [] } = await provider.chat(request, testContext());
    const sent = upstream.requests[0]?.json as { readonly tools?: readonly { readonly function: { name: string } }[] };
    expect(sent.tools?.map((tool) => tool.function.name) ?? []).toEqual(offered);
    expect(sent).not.toHaveProperty('tool_choice');
    expect(sent).not.toHaveProperty('parallel_tool_calls');
    expect(warnings).toEqual(expected);
    const one = await provider.chat({ ...request, toolChoice: 'auto', parallelToolCalls: false }, testContext());
    expect(one.warnings).toEqual(['acme cannot be held to one call at a time']);
  });

  it.each([
    ['groq', { compound_custom: { models: { answering_model: 'other' } } }],
    ['xai', { search_parameters: { mode: 'on' } }],
    ['together', { safety_model: 'other' }],
    ['openrouter', { models: ['other'] }],
  ])('members that %s would go past the policies with are refused: %j', async (preset, members) => {
    const provider = await start({ preset, apiKey: 'k', baseUrl: upstream.baseUrl, models: [{ name: 'm' }] });
    const extra = { 'openai-chat': members as Extra[string] };
    await expect(provider.chat({ model: 'm', messages, extra }, testContext())).rejects.toMatchObject({
      code: 'unsupported_parameter',
    });
    expect(upstream.requests).toEqual([]);
  });
});

describe('a last message of the assistant', () => {
  const begun = [...messages, { role: 'assistant', content: 'Hello from' }] as const;
  const request: ChatRequest = { model: 'm', messages: begun };
  const textOf = async (provider: Provider): Promise<string> => {
    let text = '';
    for await (const arrived of provider.stream?.(request, testContext()) ?? []) {
      for (const delta of [arrived].flat()) if (delta.type === 'text') text += delta.text;
    }
    return text;
  };
  const own = { apiKey: 'key-1', detect: false, models: [{ name: 'm' }] };

  it('is marked for Mistral, which repeats it in its response', async () => {
    const provider = await start({ ...own, preset: 'mistral', baseUrl: upstream.baseUrl });
    const writing = (await provider.models()).filter(({ capabilities }) => !capabilities.includes('embeddings'));
    expect(writing.every(({ prefill }) => prefill)).toBe(true);
    expect(await textOf(provider)).toBe(' the upstream.');
    expect(await provider.chat(request, testContext())).toMatchObject({ content: [{ text: ' the upstream.' }] });
    for (const { json } of upstream.requests) {
      expect(json).toMatchObject({ messages: [messages[0], { ...begun[1], prefix: true }] });
    }
  });

  it('is followed by the whole response where that does not repeat it', async () => {
    upstream.script(upstreamReplies.healthy({ text: 'Hello there.' }));
    const provider = await start({ ...own, preset: 'mistral', baseUrl: upstream.baseUrl });
    expect(await textOf(provider)).toBe('Hello there.');
    expect(await provider.chat(request, testContext())).toMatchObject({ content: 'Hello there.' });
  });

  it('is left open for vLLM, and sent as it is to servers that want no mark or are not known', async () => {
    const bodies: unknown[] = [];
    for (const preset of ['vllm', 'llamacpp', 'lmstudio']) {
      const provider = await start({ ...own, preset, baseUrl: upstream.baseUrl });
      expect(await textOf(provider)).toBe('Hello from the upstream.');
      bodies.push((await provider.models())[0]?.prefill, upstream.requests.at(-1)?.json);
    }
    const plain = expect.objectContaining({ messages: begun });
    const marked = expect.objectContaining({ continue_final_message: true, add_generation_prompt: false });
    expect(bodies).toEqual([true, marked, true, plain, undefined, plain]);
    expect(bodies[3]).not.toHaveProperty('continue_final_message');
  });

  it('is not marked for a model that the operator takes out', async () => {
    const models = [{ name: 'm', prefill: false }];
    const provider = await start({ ...own, preset: 'mistral', baseUrl: upstream.baseUrl, models });
    expect(await textOf(provider)).toBe('Hello from the upstream.');
    expect(upstream.requests[0]?.json).toMatchObject({ messages: begun });
    expect(upstream.requests[0]?.body).not.toContain('prefix');
  });
});

describe('presets of local servers', () => {
  it.each<[string, string, object, object]>([
    [
      'ollama',
      '/api/tags',
      { models: [{ name: 'llama3.3:latest', model: 'llama3.3:latest' }, { name: 'nomic-embed-text:latest' }] },
      { 'llama3.3:latest': ['chat', 'code', 'tools', 'structured-output'], 'nomic-embed-text:latest': ['embeddings'] },
    ],
    [
      'lmstudio',
      '/api/v0/models',
      {
        data: [
          { id: 'qwen2-vl', type: 'vlm', max_context_length: 32_768 },
          { id: 'nomic', type: 'embeddings' },
        ],
      },
      { 'qwen2-vl': ['chat', 'code', 'tools', 'structured-output', 'vision'], nomic: ['embeddings'] },
    ],
    [
      'vllm',
      '/v1/models',
      { data: [{ id: 'org/model', max_model_len: 8_192 }] },
      { 'org/model': ['chat', 'code', 'tools', 'structured-output'] },
    ],
    [
      'llamacpp',
      '/v1/models',
      { data: [{ id: 'a.gguf', meta: { n_ctx_train: 4_096 } }] },
      { 'a.gguf': ['chat', 'code', 'tools', 'structured-output'] },
    ],
  ])('%s is asked once which models it has, and they cost nothing', async (preset, path, document, expected) => {
    const provider = await start({ preset, baseUrl: await serving(path, document) });
    const models = await provider.models();
    expect(provider.off).toBeUndefined();
    expect(Object.fromEntries(models.map(({ name, capabilities }) => [name, capabilities]))).toEqual(expected);
    expect(models.every(({ pricing }) => pricing?.input === 0 && pricing.output === 0)).toBe(true);
  });

  it('the context that a server states is that of its models', async () => {
    const baseUrl = await serving('/v1/models', { data: [{ id: 'a', max_model_len: 8_192 }] });
    expect((await (await start({ preset: 'vllm', baseUrl })).models())[0]).toMatchObject({ contextWindow: 8_192 });
  });

  it('the provider is off if no server, another server or a silent one listens', async () => {
    const free = await listen(() => undefined);
    const gone = servers.pop();
    gone?.close();
    const other = await listen((_, response) => response.end('<html>'));
    const silent = await listen(() => undefined);
    for (const baseUrl of [free, other, silent]) {
      const provider = await start({ preset: 'ollama', baseUrl });
      expect(provider.off).toBe(`no ollama server answers at ${new URL(baseUrl).origin}`);
      expect(await provider.models()).toEqual([]);
      expect(await provider.health?.()).toMatchObject({ status: 'warn' });
    }
  });

  it('a server is not asked where detection is switched off', async () => {
    let requests = 0;
    const baseUrl = await listen((_, response) => {
      requests += 1;
      response.end('{}');
    });
    const provider = await start({ preset: 'ollama', baseUrl, detect: false, models: [{ name: 'llama3.3' }] });
    expect((await provider.models()).map(({ name }) => name)).toEqual(['llama3.3']);
    expect(provider.off).toBeUndefined();
    expect(requests).toBe(0);
  });
});
