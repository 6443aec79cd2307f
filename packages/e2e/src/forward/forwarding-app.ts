import type { AppConfig } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import anthropic from '@patchbay/provider-anthropic';
import openai from '@patchbay/provider-openai';
import { createTestApp, startUpstream, type TestApp, type Upstream } from '@patchbay/testing';
import { afterEach } from 'vitest';

/** The key of the server at its vendors. */
export const vendorKey = 'sk-of-the-server-3f81c2';

export interface ForwardingApp {
  readonly test: TestApp;
  readonly openai: Upstream;
  /** A second vendor with the API of OpenAI for chats, and none for responses. */
  readonly other: Upstream;
  readonly anthropic: Upstream;
  readonly handle: (request: Request) => Promise<Response>;
  /** Send a request with the credentials of a tenant. */
  send(path: string, body: unknown, init?: SendOptions): Promise<Response>;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Default: one with all scopes. */
  readonly token?: string;
}

const pricing = { input: 1, output: 10 };
const capabilities = ['chat', 'tools', 'vision', 'structured-output', 'files'] as const;
const chat = { name: 'large', capabilities, maxTokens: 1_000, contextWindow: 100_000, pricing } as const;
const embed = { name: 'embed', capabilities: ['embeddings'], pricing: { input: 1, output: 0 } } as const;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** An app in this process, over vendors that are played on sockets: `openai`, `other` and `anthropic`, each with `large`. */
export async function startForwardingApp(config: Partial<AppConfig> = {}): Promise<ForwardingApp> {
  const start = async (dialect: 'openai' | 'anthropic') => {
    const upstream = await startUpstream({ dialect });
    open.push(() => upstream.stop());
    return upstream;
  };
  const [first, other, messages] = [await start('openai'), await start('openai'), await start('anthropic')];
  const mount = ({ baseUrl }: Upstream, vendor?: string) => ({
    apiKey: vendorKey,
    baseUrl,
    models: [vendor === undefined ? chat : { ...chat, vendor }, embed],
  });
  const test = await createTestApp({
    providers: {
      openai: { use: openai, with: mount(first, 'openai') },
      other: { use: openai, with: mount(other) },
      anthropic: { use: anthropic, with: { apiKey: vendorKey, baseUrl: messages.baseUrl, models: [chat] } },
    },
    ...config,
  });
  open.push(async () => await test[Symbol.asyncDispose]());
  const handle = createFetchHandler(test.app);
  return {
    test,
    handle,
    openai: first,
    other,
    anthropic: messages,
    async send(path, body, { headers = {}, signal, token = test.token() } = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const sent = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      const init = { method: 'POST', headers: sent, body: text, ...(signal && { signal }) };
      return await handle(new Request(`http://patchbay.test${path}`, init));
    },
  };
}

export const chats = '/v1/chat/completions';
export const messages = '/v1/messages';
export const embeddings = '/v1/embeddings';

export const question = (model = 'openai/large', more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Good morning?' }],
  ...more,
});

export const responses = '/v1/responses';
export const compactions = '/v1/responses/compact';
export const asked = (model = 'openai/large', more: object = {}) => ({ model, input: 'Good morning?', ...more });

export const message = (model = 'anthropic/large', more: object = {}) => question(model, { max_tokens: 100, ...more });
