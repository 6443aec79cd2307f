import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { createRandom } from '../driver/random.ts';
import {
  asked,
  chats,
  compactions,
  embeddings,
  message,
  messages,
  question,
  responses,
  startForwardingApp,
  vendorKey,
} from './forwarding-app.ts';
import { randomBody } from './random-body.ts';

const BODIES = isFullSize ? 1_000 : 200;

describe('a forwarded request', () => {
  it.each([
    ['chat completions', chats, 'openai', 'openai/large'],
    ['responses', responses, 'openai', 'openai/large'],
    ['compactions', compactions, 'openai', 'openai/large'],
    ['embeddings', embeddings, 'openai', 'openai/embed'],
    ['messages', messages, 'anthropic', 'anthropic/large'],
  ] as const)(
    'of %s differs in its model only, in random bodies with unknown members',
    async (_, path, vendor, model) => {
      const app = await startForwardingApp();
      const upstream = app[vendor];
      const random = createRandom(20_261_123);
      upstream.script(upstreamReplies.body('{"object":"anything"}', { status: 422 }));
      const name = JSON.stringify(model.slice(model.indexOf('/') + 1));
      const differences: string[] = [];
      for (let index = 0; index < BODIES; index += 1) {
        const body = randomBody(random, path, model);
        const response = await app.send(path, body);
        expect([response.status, await response.text()]).toEqual([422, '{"object":"anything"}']);
        const wanted = body.replace(JSON.stringify(model), name);
        if (upstream.requests[index]?.body !== wanted) differences.push(body);
      }
      expect(differences).toEqual([]);
      expect(upstream.requests).toHaveLength(BODIES);
    },
  );

  it('has the headers of versions and betas, and none of an account or of the caller', async () => {
    const app = await startForwardingApp();
    const headers = {
      'anthropic-version': '2024-10-22',
      'anthropic-beta': 'context-management-2025-06-27',
      'openai-beta': 'assistants=v2',
      'openai-organization': 'org-of-the-caller',
      'openai-project': 'project-of-the-caller',
      'x-app': 'cli',
      cookie: 'a=b',
    };
    await app.send(messages, message(), { headers });
    await app.send(chats, question(), { headers });
    for (const { headers: sent } of [...app.anthropic.requests, ...app.openai.requests]) {
      expect(sent).toMatchObject({
        'anthropic-version': '2024-10-22',
        'anthropic-beta': 'context-management-2025-06-27',
        'openai-beta': 'assistants=v2',
      });
      for (const name of ['openai-organization', 'openai-project', 'x-app', 'cookie'])
        expect(sent[name]).toBeUndefined();
      expect(JSON.stringify(sent)).not.toContain(app.test.token());
    }
    expect(app.openai.requests[0]?.headers['authorization']).toBe(`Bearer ${vendorKey}`);
    expect(app.anthropic.requests[0]?.headers['x-api-key']).toBe(vendorKey);
  });

  it('has no routing', async () => {
    const app = await startForwardingApp();
    await app.send(
      chats,
      '{"routing":{"fallbacks":["other/large"]} , "model":"openai/large","messages":[{"role":"user","content":"x"}]}',
    );
    expect(app.openai.requests[0]?.body).toBe('{ "model":"large","messages":[{"role":"user","content":"x"}]}');
  });
});

describe('a response to a forwarded request', () => {
  const body =
    '{ "id": "x", "choices": [{"index":0,"message":{"role":"assistant","content":"Hi","new":1},"finish_reason":"stop"}],\n"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5} , "unknown": [1.0, "\\u00e9"] }';

  it('comes back byte for byte, with the headers of the gateway and few of the vendor', async () => {
    const app = await startForwardingApp();
    const headers = {
      'openai-processing-ms': '12',
      'openai-organization': 'org-1',
      'set-cookie': 'a=b',
      'x-ratelimit-limit-requests': '9',
    };
    app.openai.script(upstreamReplies.body(body, { headers }));
    const response = await app.send(chats, question());
    expect(await response.text()).toBe(body);
    expect(response.headers.get('patchbay-call')).toMatch(/^chat_/);
    expect(response.headers.get('patchbay-route')).toBe('named');
    expect(response.headers.get('openai-processing-ms')).toBe('12');
    for (const name of ['openai-organization', 'set-cookie', 'x-ratelimit-limit-requests']) {
      expect(response.headers.get(name)).toBeNull();
    }
  });

  it.each(['text/plain', 'Application/JSON'])('as %s is JSON, as clients expect it', async (contentType) => {
    const app = await startForwardingApp();
    const completion = '{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}';
    app.openai.script(upstreamReplies.body(completion, { contentType }));
    const response = await app.send(chats, question());
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe(completion);
  });

  it('as a stream is one however its type is spelled', async () => {
    const app = await startForwardingApp();
    const stream =
      'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    app.openai.script(upstreamReplies.body(stream, { contentType: 'Text/Event-Stream' }));
    const response = await app.send(chats, question('openai/large', { stream: true }));
    expect([response.status, await response.text()]).toEqual([200, stream]);
  });

  it.each([
    [chats, 'openai', question('openai/large', { stream: true, stream_options: { include_usage: true } })],
    [responses, 'openai', asked('openai/large', { stream: true, stream_options: { include_obfuscation: false } })],
    [messages, 'anthropic', message('anthropic/large', { stream: true })],
  ] as const)(
    'as a stream of %s comes back event for event, with the end that its API demands',
    async (path, vendor, sent) => {
      const app = await startForwardingApp();
      const direct = await fetch(`${app[vendor].url}${path}`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer x',
          'x-api-key': 'x',
          'anthropic-version': '2023-06-01',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...sent, model: 'large' }),
      });
      const response = await app.send(path, sent);
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      // The vendor counts its connections in the ids.
      const withoutId = (text: string) => text.replaceAll(/"(?:item_)?id":"[^"]*"/g, '');
      const end = path === responses ? 'data: [DONE]\n\n' : '';
      expect(withoutId(await response.text())).toBe(withoutId(await direct.text()) + end);
    },
  );

  it('with events and members that nothing here knows comes back as it was', async () => {
    const app = await startForwardingApp();
    const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [], new_member: [1.5] };
    const stream = [
      ': a comment\n\n',
      event('response.created', { response: { id: 'resp_1', status: 'in_progress' }, sequence_number: 0 }),
      event('response.new_kind.delta', { delta: { a: 'é\u2028' }, sequence_number: 1 }),
      event('response.new_kind', { sequence_number: 2, response: { error: 1 } }),
      event('response.completed', { sequence_number: 3, response }),
      'data: [DONE]\n\n',
    ].join('');
    app.openai.script(upstreamReplies.body(stream, { contentType: 'text/event-stream' }));
    expect(await (await app.send(responses, asked('openai/large', { stream: true }))).text()).toBe(stream);
  });

  it('does not show the usage that only the gateway asked for', async () => {
    const app = await startForwardingApp();
    const response = await app.send(chats, question('openai/large', { stream: true }));
    const text = await response.text();
    expect(text).not.toContain('usage');
    expect(text).toContain('"finish_reason":"stop"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(app.openai.requests[0]?.json).toMatchObject({ stream_options: { include_usage: true } });
  });

  it('keeps chunks without choices that are more than usage, as Azure sends them', async () => {
    const app = await startForwardingApp();
    const chunk = (more: object) => `data: ${JSON.stringify({ id: 'x', ...more })}\n\n`;
    const filter = { choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const said = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] };
    const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const sent = [filter, said, ended].map((each) => chunk({ ...each, usage: null }));
    const end = 'data: [DONE]\n\n';
    const stream = [...sent, chunk({ choices: [], usage }), end].join('');
    app.openai.script(upstreamReplies.body(stream, { contentType: 'text/event-stream' }));
    const text = await (await app.send(chats, question('openai/large', { stream: true }))).text();
    expect(text).toBe([chunk(filter), chunk(said), chunk(ended), end].join(''));
  });

  it('ends with the mark that its server left out, for clients that wait for it', async () => {
    const app = await startForwardingApp();
    const said = { id: 'x', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
    const stream = `data: ${JSON.stringify(said)}\n\n`;
    app.openai.script(upstreamReplies.body(stream, { contentType: 'text/event-stream' }));
    const text = await (await app.send(chats, question('openai/large', { stream: true }))).text();
    expect(text).toBe(`${stream}data: [DONE]\n\n`);
  });

  it.each(['bytewise', 'otherLineEnds', 'comments'] as const)('is complete where it comes %s', async (name) => {
    const app = await startForwardingApp();
    app.openai.script(upstreamReplies[name]({ text: 'Grüße aus 東京' }));
    const text = await (await app.send(chats, question('openai/large', { stream: true }))).text();
    const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
    expect(said).toBe('Grüße aus 東京');
    expect(text).not.toContain('usage');
  });
});
