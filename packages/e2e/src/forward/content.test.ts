import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import {
  asked,
  chats,
  embeddings,
  message,
  messages,
  question,
  responses,
  startForwardingApp,
} from './forwarding-app.ts';

const { healthy, body } = upstreamReplies;

type Started = Awaited<ReturnType<typeof startForwardingApp>>;

async function contentOf({ handle, test }: Started, response: Response) {
  await response.text();
  const id = response.headers.get('patchbay-call');
  const headers = { authorization: `Bearer ${test.token()}` };
  const read = await handle(new Request(`http://patchbay.test/calls/${id}/content`, { headers }));
  return await read.json();
}

const asking = { request: { messages: question().messages } };

const start = (more: object = {}) => startForwardingApp({ callRecords: { content: 'full', ...more } });

describe('the content of a forwarded request', () => {
  it.each([
    ['chat', chats, question(), (text: string) => ({ choices: [{ message: { content: text } }] })],
    ['response', responses, asked(), (text: string) => ({ output: [{ content: [{ text }] }] })],
    ['message', messages, message(), (text: string) => ({ content: [{ type: 'text', text }] })],
  ])('of a %s is what its client sent and received, with and without a stream', async (_, path, request, said) => {
    const app = await start();
    for (const stream of [false, true]) {
      for (const vendor of [app.openai, app.anthropic]) vendor.script(healthy({ text: 'Good morning to you.' }));
      const content = await contentOf(app, await app.send(path, { ...request, stream, new_member: 1 }));
      const { model: _model, ...sent } = request;
      expect(content).toMatchObject({ level: 'full', request: { ...sent, stream, new_member: 1 } });
      expect(content).toMatchObject({ response: said('Good morning to you.') });
      expect(content).toMatchObject({ summary: { responseBytes: expect.any(Number) } });
    }
  });

  it.each([
    ['chat', chats, question(), { stream_options: { include_usage: true } }],
    ['response', responses, asked(), {}],
    ['message', messages, message(), {}],
  ])('of a streamed %s has the request as it was prepared for the vendor', async (_, path, request, added) => {
    const app = await start();
    const sent = { ...request, stream: true };
    const routing = { optimize: 'cost' };
    const { request: stored } = (await contentOf(app, await app.send(path, { ...sent, routing }))) as Asked;
    expect(stored).toEqual({ ...sent, ...added, model: 'large' });
  });

  it.each([
    ['chat', chats, question(), (call: object) => ({ choices: [{ message: { tool_calls: [{ function: call }] } }] })],
    ['message', messages, message(), ({ name, input }: Called) => ({ content: [{ type: 'tool_use', name, input }] })],
  ] as const)('of a streamed %s has the tools that were called', async (_, path, request, called) => {
    const app = await start();
    const call = { id: 'call_1', name: 'weather', arguments: { city: 'Bern' } };
    for (const vendor of [app.openai, app.anthropic]) vendor.script(healthy({ text: '', toolCalls: [call] }));
    const content = await contentOf(app, await app.send(path, { ...request, stream: true }));
    const expected = { name: 'weather', arguments: '{"city":"Bern"}', input: { city: 'Bern' } };
    const { input, arguments: text, name } = expected;
    const shape = path === chats ? called({ name, arguments: text } as never) : called({ name, input } as never);
    expect(content).toMatchObject({ summary: { toolCalls: ['weather'] }, response: shape });
  });

  it('is redacted in the words of its API', async () => {
    const app = await start({ redact: ['/messages/*/content', '/choices/*/message/content'] });
    app.openai.script(healthy({ text: 'You said: Good morning?' }));
    const content = await contentOf(app, await app.send(chats, question('openai/large', { stream: true })));
    expect(content).toMatchObject({
      redacted: ['/request/messages/0/content', '/response/choices/0/message/content'],
      request: { messages: [{ role: 'user', content: '[redacted]' }] },
      response: { choices: [{ message: { content: '[redacted]' } }] },
    });
  });

  it('has neither files nor credentials', async () => {
    const app = await start();
    const url = `data:image/png;base64,${Buffer.alloc(300, 1).toString('base64')}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const more = { messages: [{ role: 'user', content }], metadata: { api_key: 'sk-of-the-client' } };
    const stored = await contentOf(app, await app.send(chats, question('openai/large', more)));
    expect(stored).toMatchObject({ omitted: [{ bytes: 300, mediaType: 'image/png' }] });
    expect(JSON.stringify(stored)).not.toMatch(/AQEBAQEB|sk-of-the-client/);
  });

  it('of a refused request has no response', async () => {
    const app = await start();
    app.openai.script(body('{"error":{"message":"no"}}', { status: 422 }));
    await app.send(chats, question());
    const headers = { authorization: `Bearer ${app.test.token()}` };
    const read = async (path: string) =>
      (await app.handle(new Request(`http://patchbay.test${path}`, { headers }))).json();
    const { data } = (await read('/calls')) as { readonly data: readonly { readonly id: string }[] };
    expect(await read(`/calls/${data[0]?.id}/content`)).toMatchObject({ level: 'full', response: null, ...asking });
  });

  it('is not stored of embeddings, which have no record', async () => {
    const app = await start();
    const response = await app.send(embeddings, { model: 'openai/embed', input: 'Good morning?' });
    expect(response.status).toBe(200);
    expect(await contentOf(app, response)).toMatchObject({ code: 'call_not_found' });
  });
});

interface Asked {
  readonly request: object;
}

interface Called {
  readonly name: string;
  readonly input: object;
}
