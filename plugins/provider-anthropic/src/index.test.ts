import { createTransport } from '@patchbay/core';
import type { Provider } from '@patchbay/core/provider';
import { startUpstream, testContext, type Upstream } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import plugin from './index.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const messages = [{ role: 'user', content: 'Hi' }] as const;
let upstream: Upstream;
let transport: ReturnType<typeof createTransport>;

beforeEach(async () => {
  upstream = await startUpstream({ dialect: 'anthropic' });
  transport = createTransport();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await transport.stop();
  await upstream.stop();
});

function create(config: object): Provider {
  const options = { baseUrl: upstream.baseUrl, apiKey: ' key-1\n', ...config };
  const mount = 'providers.anthropic';
  return plugin.definition.create({ config: options, deps: { transport }, logger, mount, directory: '.' });
}

describe('provider-anthropic', () => {
  it('sends our key, nothing out of the environment, and writes nothing to the console', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-environment');
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-environment');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    vi.stubEnv('ANTHROPIC_LOG', 'debug');
    const methods = ['debug', 'log', 'info', 'warn', 'error'] as const;
    const consoles = methods.map((method) => vi.spyOn(console, method));
    // The SDK has a warning for models that come to their end.
    const provider = create({ models: [{ name: 'claude-sonnet-4-5', maxTokens: 64_000 }] });
    await provider.chat({ model: 'claude-sonnet-4-5', messages, maxTokens: 60_000 }, testContext());
    const [request] = upstream.requests;
    expect(request?.headers).toMatchObject({ 'x-api-key': 'key-1', 'anthropic-version': '2023-06-01' });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(request?.headers)).not.toContain('environment');
    for (const method of consoles) expect(method).not.toHaveBeenCalled();
  });

  it.each([{ fallbacks: [{ model: 'claude-fable-5-2' }] }, { billing_policy: { bill_to: 'other' } }])(
    'forwards nothing that goes past the policies of the server: %j',
    async (members) => {
      const body = Buffer.from(JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 9, messages, ...members }));
      const request = {
        dialect: 'anthropic-messages',
        model: 'claude-opus-5-5',
        body,
        headers: {},
        stream: false,
      } as const;
      await expect(create({}).forward?.(request, testContext())).rejects.toMatchObject({
        code: 'unsupported_parameter',
      });
      expect(upstream.requests).toEqual([]);
    },
  );

  it('knows the limits of what the operator adds', async () => {
    const provider = create({ models: [{ name: 'claude-own' }, { name: 'claude-opus-5-5', quality: 1 }] });
    const models = await provider.models();
    expect(models.find(({ name }) => name === 'claude-own')).toEqual({
      name: 'claude-own',
      capabilities: ['chat'],
      vendor: 'anthropic',
      unsupported: ['frequencyPenalty', 'presencePenalty'],
      maxTemperature: 1,
      dialects: ['anthropic-messages', 'anthropic-count-tokens'],
    });
    expect(models.find(({ name }) => name === 'claude-opus-5-5')?.unsupported).toContain('temperature');
  });

  it.each([
    ['claude-haiku-4-5', { maxTemperature: 1, unsupported: expect.arrayContaining(['presencePenalty']) }],
    ['claude-opus-5-5', { maxTokens: 128_000, unsupported: expect.arrayContaining(['temperature', 'topP']) }],
  ])('%s says what it does not take', async (model, limits) => {
    expect((await create({}).models()).find(({ name }) => name === model)).toMatchObject(limits);
  });
});
