import { createTransport } from '@patchbay/core';
import type { Provider } from '@patchbay/core/provider';
import { startUpstream, testContext, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import plugin from './index.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const messages = [{ role: 'user', content: 'Hi' }] as const;
let upstream: Upstream;
let transport: ReturnType<typeof createTransport>;

beforeEach(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
  transport = createTransport();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await transport.stop();
  await upstream.stop();
});

function create(config: object, mount = 'providers.openai'): Provider {
  const options = { baseUrl: upstream.baseUrl, ...config };
  return plugin.definition.create({ config: options, deps: { transport }, logger, mount, directory: '.' });
}

describe('provider-openai', () => {
  it('sends who we are, and nothing out of the environment', async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'org-environment');
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-environment');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1');
    vi.stubEnv('OPENAI_LOG', 'debug');
    const methods = ['debug', 'log', 'info', 'warn', 'error'] as const;
    const consoles = methods.map((method) => vi.spyOn(console, method));
    const config = { apiKey: ' key-1\n', catalogue: true };
    await create(config).chat({ model: 'gpt-4.1', messages }, testContext());
    const organized = { ...config, organization: 'org-1', project: 'project-1' };
    await create(organized).chat({ model: 'gpt-4.1', messages }, testContext());
    const [first, second] = upstream.requests;
    expect(first?.headers).toMatchObject({ authorization: 'Bearer key-1' });
    expect(JSON.stringify(first?.headers)).not.toContain('environment');
    expect(second?.headers).toMatchObject({ 'openai-organization': 'org-1', 'openai-project': 'project-1' });
    for (const method of consoles) expect(method).not.toHaveBeenCalled();
  });

  it('speaks with a server that wants no key', async () => {
    upstream.script(
      upstreamReplies.body(
        JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] }),
      ),
    );
    const provider = create({ models: [{ name: 'llama3' }] }, 'providers.local');
    expect(await provider.models()).toEqual([{ name: 'llama3', capabilities: ['chat'], dialects: ['openai-chat'] }]);
    const result = await provider.chat({ model: 'llama3', messages, maxTokens: 9 }, testContext());
    expect(result).toMatchObject({ content: 'Hello', usage: { estimated: true } });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(upstream.requests[0]?.json).toEqual({ model: 'llama3', messages, max_tokens: 9 });
  });

  it('provider-openai is off at OpenAI without a key, whichever of its addresses is used', () => {
    for (const baseUrl of ['https://api.openai.com/v1', 'https://eu.api.openai.com/v1']) {
      expect(create({ baseUrl, apiKey: '' }).off).toBe(
        'no apiKey is set; the built-in config takes it from OPENAI_API_KEY',
      );
    }
    expect(create({ baseUrl: 'https://api.openai.com.example.test/v1' }).off).toBeUndefined();
  });

  it('provider-openai can be mounted many times, each with its own name and models', async () => {
    const models = [{ name: 'llama3' }];
    upstream.script(upstreamReplies.status(500));
    for (const name of ['east', 'west']) {
      const provider = create({ apiKey: 'key-1', models }, `providers.${name}`);
      await expect(provider.chat({ model: 'llama3', messages }, testContext())).rejects.toThrow(`${name} answered 500`);
      await expect(provider.chat({ model: 'gpt-4.1', messages }, testContext())).rejects.toThrow(name);
    }
  });

  it('sets the vendor of models added at OpenAI to OpenAI', async () => {
    const provider = create({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'key-1',
      models: [{ name: 'ft:gpt-4.1:acme' }],
    });
    const own = (await provider.models()).find(({ name }) => name === 'ft:gpt-4.1:acme');
    expect(own).toMatchObject({ name: 'ft:gpt-4.1:acme', capabilities: ['chat'], vendor: 'openai' });
  });

  it('asks the models that need it through Responses, and others only where the config says so', async () => {
    const paths = async (config: object, ...names: readonly string[]) => {
      const provider = create({ apiKey: 'key-1', ...config });
      const before = upstream.requests.length;
      for (const model of names) await provider.chat({ model, messages }, testContext()).catch(() => undefined);
      return upstream.requests.slice(before).map(({ path }) => path);
    };
    const [completions, responses] = ['/v1/chat/completions', '/v1/responses'];
    const catalogue = { catalogue: true };
    expect(await paths(catalogue, 'gpt-6-astra', 'gpt-6.1-sol', 'gpt-6-luna')).toEqual([
      responses,
      responses,
      completions,
    ]);
    // Of another server, which may have nothing but the name.
    const models = [{ name: 'gpt-6-astra' }, { name: 'own' }];
    expect(await paths({ models }, 'gpt-6-astra', 'own')).toEqual([completions, completions]);
    expect(await paths({ models, responses: ['own'] }, 'gpt-6-astra', 'own')).toEqual([completions, responses]);
    expect(await paths({ ...catalogue, responses: [] }, 'gpt-6-astra')).toEqual([completions]);
  });

  it('reasoning models say that they take no temperature', async () => {
    const models = await create({ apiKey: 'key-1', catalogue: true }).models();
    expect(models.find(({ name }) => name === 'gpt-6-luna')?.unsupported).toContain('temperature');
  });

  it('asks for usage in streams and for numbers in vectors', async () => {
    const provider = create({
      apiKey: 'key-1',
      catalogue: true,
      models: [{ name: 'text-embedding-3-small', dimensions: 8 }],
    });
    const deltas = [];
    for await (const delta of provider.stream?.({ model: 'gpt-4.1', messages }, testContext()) ?? [])
      deltas.push(...[delta].flat());
    expect(deltas.at(-1)).toMatchObject({ usage: { uncachedInputTokens: 12, outputTokens: 6 } });
    const embed = (texts: readonly string[]) =>
      provider.embed?.({ model: 'text-embedding-3-small', texts, dimensions: 8 }, testContext());
    const vector = [0.5, -0.25, 0.125, 0.0625, -0.5, 0.25, 1, -1];
    expect(await embed(['Hi'])).toEqual({ embeddings: [vector], tokens: 12 });
    expect(await embed(['Hi', 'Ho'])).toEqual({ embeddings: [vector, vector], tokens: 12 });
    const asked = { model: 'text-embedding-3-small', dimensions: 8, encoding_format: 'float' };
    expect(upstream.requests.map(({ json }) => json)).toEqual([
      { model: 'gpt-4.1', messages, stream: true, stream_options: { include_usage: true } },
      { ...asked, input: 'Hi' },
      { ...asked, input: ['Hi', 'Ho'] },
    ]);
  });
});
