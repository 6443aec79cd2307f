import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { chats, message, messages, question, startForwardingApp } from './forwarding-app.ts';

const { healthy, body, status } = upstreamReplies;
const turns = (assistant: object) => [
  { role: 'user', content: 'What is 2 + 2?' },
  { role: 'assistant', ...assistant },
  { role: 'user', content: 'And 3 + 3?' },
];
const thinking = { type: 'thinking', thinking: 'It is 4.', signature: 'c2lnbmF0dXJl' };
const answered = (assistant: object) =>
  body(
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: '4', ...assistant }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );

describe('reasoning of a forwarded response', () => {
  it.each([
    ['whole', false],
    ['in a stream', true],
  ])('of Anthropic that came %s goes back to it unchanged, and to no other vendor', async (_, stream) => {
    const app = await startForwardingApp();
    app.anthropic.script(healthy({ reasoning: { text: 'It is 4.', signature: 'c2lnbmF0dXJl' }, text: '4' }));
    expect(await (await app.send(messages, message('anthropic/large', { stream }))).text()).toContain('c2lnbmF0dXJl');
    const conversation = turns({ content: [thinking, { type: 'text', text: '4' }] });
    app.anthropic.script(body('{}', { status: 422 }));
    await app.send(messages, message('anthropic/large', { messages: conversation }));
    expect(app.anthropic.requests.at(-1)?.json).toMatchObject({ messages: conversation });
    const elsewhere = await app.send(messages, message('openai/large', { messages: conversation }));
    expect(elsewhere.status).toBe(200);
    expect(app.openai.requests[0]?.body).not.toContain('It is 4.');
  });

  it.each([
    ['reasoning_content', { reasoning_content: 'It is 4.' }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'It is 4.' }] }],
  ])('in %s goes back to the vendor that it came from, and to no other of the same API', async (_, reasoning) => {
    const app = await startForwardingApp();
    app.openai.script(answered(reasoning), healthy());
    await (await app.send(chats, question())).text();
    const more = { messages: turns({ content: '4', ...reasoning }), new_member: 1 };
    expect((await app.send(chats, question('openai/large', more))).status).toBe(200);
    expect(app.openai.requests[1]?.json).toMatchObject(more);
    expect((await app.send(chats, question('other/large', more))).status).toBe(200);
    expect(app.other.requests[0]?.body).not.toContain('It is 4.');
  });

  it('that was packed here for the API of Anthropic is translated, not forwarded', async () => {
    const app = await startForwardingApp();
    app.openai.script(answered({ reasoning_content: 'It is 4.' }));
    const first = (await (await app.send(messages, message('openai/large'))).json()) as { content: object[] };
    expect(JSON.stringify(first.content)).toContain('patchbay1.');
    const sent = message('anthropic/large', { messages: turns({ content: first.content }) });
    expect((await app.send(messages, sent)).status).toBe(200);
    expect(app.anthropic.requests[0]?.body).not.toMatch(/patchbay1|It is 4\./);
  });
});

describe('POST /v1/messages/count_tokens', () => {
  const count = '/v1/messages/count_tokens';

  it('has the count of the vendor for a model of Anthropic, at no cost', async () => {
    const app = await startForwardingApp({ limits: { key: { budget: { usd: 0.000_001, period: 'day' } } } });
    app.anthropic.script(healthy({ usage: { uncachedInputTokens: 4_711 } }));
    const response = await app.send(count, question('anthropic/large'));
    expect(await response.json()).toEqual({ input_tokens: 4_711 });
    expect(response.headers.get('patchbay-warning')).toBeNull();
    expect(app.anthropic.requests[0]).toMatchObject({ path: count, json: question('large') });
  });

  it('estimates for models of other vendors, and for `auto`', async () => {
    const app = await startForwardingApp();
    for (const model of ['openai/large', 'auto']) {
      const response = await app.send(count, question(model));
      expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
      expect(response.headers.get('patchbay-warning')).toContain('estimate');
    }
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });

  it('refuses a model without chat, as the message itself would be', async () => {
    const app = await startForwardingApp();
    const asked = question('openai/embed', { max_tokens: 10 });
    const [counted, sent] = [await app.send(count, asked), await app.send(messages, asked)];
    expect([counted.status, sent.status]).toEqual([400, 400]);
    const { error } = (await counted.json()) as { error: object };
    expect(((await sent.json()) as { error: object }).error).toEqual(error);
  });

  it('says 404 where a compatible server does not count, so that clients estimate', async () => {
    const app = await startForwardingApp();
    app.anthropic.script(status(404));
    expect((await app.send(count, question('anthropic/large'))).status).toBe(404);
    app.anthropic.script(healthy());
    expect((await app.send(messages, message())).status).toBe(200);
  });
});

describe('a conversation with an automatic choice', () => {
  it('is forwarded to the same vendor, and says so when it moves to another one', async () => {
    const app = await startForwardingApp();
    const ask = async (more: object = {}) => {
      const routing = { providers: { deny: ['anthropic'] } };
      const response = await app.send(chats, question('auto', { routing, new_member: 1, ...more }));
      expect(response.status).toBe(200);
      const { headers } = response;
      return { route: headers.get('patchbay-route'), warning: headers.get('patchbay-warning') };
    };
    const next = { messages: [...question().messages, ...turns({ content: '4' }).slice(1)] };
    await ask();
    const [its, others] = app.openai.requests.length > 0 ? [app.openai, app.other] : [app.other, app.openai];
    const [from, to] = its === app.openai ? ['openai', 'other'] : ['other', 'openai'];
    expect(await ask(next)).toEqual({ route: expect.stringMatching(/^auto;sticky;/), warning: null });
    its.script(status(503));
    const moved = await ask(next);
    expect(moved.warning).toBe(`"the conversation moved from ${from}/large to ${to}/large"`);
    its.script(healthy());
    expect(await ask(next)).toEqual({ route: expect.stringMatching(/^auto;sticky;/), warning: null });
    expect([its.requests.length, others.requests.map(({ json }) => json)]).toEqual([
      3,
      [expect.objectContaining({ new_member: 1 }), expect.objectContaining({ new_member: 1 })],
    ]);
  });
});

describe('an automatic choice', () => {
  it('takes a model that can do what no translation can', async () => {
    const app = await startForwardingApp();
    const providers = { allow: ['anthropic', 'openai'] };
    const response = await app.send(chats, question('auto', { n: 2, routing: { providers } }));
    expect(response.status).toBe(200);
    expect(app.openai.requests[0]?.json).toMatchObject({ model: 'large', n: 2 });
    expect(app.anthropic.requests).toEqual([]);
  });

  it('says what cannot be translated where there is no such model', async () => {
    const app = await startForwardingApp();
    const response = await app.send(
      chats,
      question('auto', { n: 2, routing: { providers: { allow: ['anthropic'] } } }),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'n' } });
  });
});

describe('embeddings', () => {
  it('of more texts than the vendor takes at once are split, and come in one response', async () => {
    const app = await startForwardingApp();
    const input = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const response = await app.send('/v1/embeddings', { model: 'openai/embed', input });
    const { data } = (await response.json()) as { data: unknown[] };
    expect(data).toHaveLength(40);
    expect(app.openai.requests).toHaveLength(2);
  });
});
