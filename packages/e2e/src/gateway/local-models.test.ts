import { readFile } from 'node:fs/promises';
import { startUpstream, type UpstreamDialect } from '@patchbay/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { useServerHere } from '../driver/use-server-here.ts';

// The built-in config as a file, without a key of any vendor, on a machine where Ollama runs.

const ollama: UpstreamDialect = {
  basePath: '/v1',
  refuse: ({ path }) =>
    ['/api/tags', '/v1/chat/completions'].includes(path) ? undefined : { status: 404, body: { error: 'not found' } },
  answer: ({ path, json }, { text }) =>
    path === '/api/tags'
      ? { models: [{ name: 'llama3.2:latest', model: 'llama3.2:latest', details: { family: 'llama' } }] }
      : {
          id: 'chatcmpl-1',
          object: 'chat.completion',
          model: (json as { readonly model: string }).model,
          choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 26, completion_tokens: 7, total_tokens: 33 },
        },
  error: (_status, message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  refusal: () => undefined,
};

const upstream = await startUpstream({ dialect: ollama });
// LM Studio is searched for at the same address, which does not have its API.
const config = await readFile(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
const env = { OLLAMA_BASE_URL: upstream.baseUrl, LMSTUDIO_BASE_URL: upstream.baseUrl };
afterAll(() => upstream.stop());

describe('a server that detects local models', () => {
  const server = useServerHere({ config, env: { ...env, PATCHBAY_DETECT: 'true' } });

  /** A busy machine may take longer than the server waits. A reload looks again. */
  const detect = async (reloads = 1): Promise<void> => {
    const { status } = await server.ask('GET', '/models/ollama/llama3.2:latest');
    if (status === 200 || reloads > 10) return;
    await server.running.reload();
    await detect(reloads + 1);
  };

  it('gives the first response by a model of Ollama, at no cost', async () => {
    await detect();
    const messages = [{ role: 'user', content: 'Hello' }];
    const { status, body } = await server.ask('POST', '/chat', { messages });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      model: 'ollama/llama3.2:latest',
      message: { role: 'assistant', content: 'Hello from the upstream.' },
      totalTokens: 33,
    });
    expect(upstream.requests.at(-1)?.json).toEqual({ model: 'llama3.2:latest', messages });
    const { body: model } = await server.ask('GET', '/models/ollama/llama3.2:latest');
    expect(model).toMatchObject({ pricing: { input: 0, output: 0 } });
  });
});

describe('a server that detects none', () => {
  const server = useServerHere({ config, env });

  it('sends them nothing, and the demo provider responds', async () => {
    const before = upstream.requests.length;
    const { body } = await server.ask('POST', '/chat', { messages: [{ role: 'user', content: 'Hello' }] });
    expect(body['model']).toMatch(/^demo\//);
    expect(upstream.requests).toHaveLength(before);
  });
});
