import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import {
  asked,
  chats,
  embeddings,
  type ForwardingApp,
  message,
  messages,
  question,
  responses,
  startForwardingApp,
} from './forwarding-app.ts';

const feedbackOn = async (app: ForwardingApp, response: Response, fields: object = {}) => {
  const target = response.headers.get('patchbay-call');
  const given = await app.send('/feedback', { target, value: true, ...fields });
  return { target, status: given.status, json: (await given.json()) as Readonly<Record<string, unknown>> };
};

describe('feedback about a forwarded response', () => {
  it('is accepted by the header of every endpoint, streamed or not', async () => {
    const app = await startForwardingApp();
    for (const [path, body, model] of [
      [chats, question(), 'openai/large'],
      [chats, question('openai/large', { stream: true }), 'openai/large'],
      [messages, message(), 'anthropic/large'],
      [messages, message('anthropic/large', { stream: true }), 'anthropic/large'],
      [responses, asked(), 'openai/large'],
      [responses, asked('openai/large', { stream: true }), 'openai/large'],
    ] as const) {
      const response = await app.send(path, body);
      await response.text();
      const { target, status, json } = await feedbackOn(app, response);
      expect([path, status, json]).toMatchObject([path, 201, { target, value: true, metric: 'score', model }]);
    }
  });

  it('is refused by the id in the body, which is that of the vendor', async () => {
    const app = await startForwardingApp();
    for (const [path, body, prefix] of [
      [messages, message(), 'msg_'],
      [responses, asked(), 'resp_'],
    ] as const) {
      const { id } = (await (await app.send(path, body)).json()) as { readonly id: string };
      expect(id.startsWith(prefix)).toBe(true);
      const given = await app.send('/feedback', { target: id, value: true });
      expect([given.status, await given.json()]).toMatchObject([404, { code: 'feedback_target_not_found' }]);
    }
  });

  it('is accepted of a stream that its reader left', async () => {
    const app = await startForwardingApp();
    app.openai.script(upstreamReplies.hangMidStream());
    const response = await app.send(chats, question('openai/large', { stream: true }));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await feedbackOn(app, response, { value: 0 })).status).toBe(201);
  });

  it('is refused of embeddings', async () => {
    const app = await startForwardingApp();
    const response = await app.send(embeddings, { model: 'openai/embed', input: 'Good morning' });
    expect(response.status).toBe(200);
    expect((await feedbackOn(app, response)).json).toMatchObject({ code: 'feedback_target_not_found' });
  });
});
