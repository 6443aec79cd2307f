import { definePlugin } from '@patchbay/core/plugin';
import { expect, it } from 'vitest';
import { chats, question, startForwardingApp } from './forwarding-app.ts';

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{}');
}

/** A provider that returns pieces where a complete response was requested, and the other way round. */
const confused = definePlugin({
  name: 'test-confused-provider',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => ({
    models: async () => [{ name: 'm', capabilities: ['chat'], dialects: ['openai-chat'], maxTokens: 100 }],
    chat: () => Promise.reject(new Error('not requested')),
    forward: async ({ stream }) => ({ status: 200, headers: {}, body: stream ? Buffer.from('{}') : pieces() }),
  }),
});

it.each([false, true])(
  'the body of a forwarded response that is not as requested is a failure (stream: %s)',
  async (stream) => {
    const app = await startForwardingApp({ providers: { p: { use: confused } } });
    const response = await app.send(chats, question('p/m', { stream }));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'provider_bad_response' } });
  },
);
