import assert from 'node:assert/strict';
import type { Answer, ApiClient, ApiSuite } from './api-under-test.ts';
import { assertProblem, timestamp } from './expect-answer.ts';
import { readEvents } from './read-events.ts';

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Good day.' },
  { role: 'user', content: 'What is the weather in Bern?' },
];
const weather = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

interface ToolCallPart {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly city?: unknown };
}

interface ToolCallPiece {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export function assertGenerated({ status, body, text }: Answer, id: RegExp, model: string): void {
  assert.equal(status, 200, text);
  assert.match(String(body['id']), id);
  assert.equal(body['model'], model);
  assert.match(String(body['createdAt']), timestamp);
  const { promptTokens, completionTokens, totalTokens } = body as Readonly<Record<string, number>>;
  assert.ok(Number.isInteger(promptTokens) && Number.isInteger(completionTokens));
  assert.equal(Number(promptTokens) + Number(completionTokens), totalTokens);
}

/** Walks the gateway of the interface specification, whatever the models answer. */
export function gatewaySuite({ describe, it }: ApiSuite): void {
  const post = (api: ApiClient, path: string, body: object) => api.ask('POST', path, { body });

  describe('the gateway', () => {
    it('answers POST /generate with the documented fields', async (api) => {
      const answer = await post(api, '/generate', { prompt: 'Hello', model: api.models.chat, maxTokens: 50 });
      assertGenerated(answer, /^generation_[0-7][0-9a-z]{25}$/, api.models.chat);
      assert.notEqual(answer.body['text'], '');
      assert.equal(answer.headers.get('patchbay-route'), 'named');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    });

    it('answers POST /chat with the documented fields', async (api) => {
      const answer = await post(api, '/chat', { messages, model: api.models.chat, maxTokens: 50 });
      assertGenerated(answer, /^chat_[0-7][0-9a-z]{25}$/, api.models.chat);
      const { role, content } = answer.body['message'] as { role: string; content: string };
      assert.equal(role, 'assistant');
      assert.notEqual(content, '');
    });

    it('answers POST /chat with tools by calls, and takes the message back with their results', async (api) => {
      const body = { tools: [weather], toolChoice: { name: 'weather' }, model: api.models.chat };
      const answer = await post(api, '/chat', { messages, ...body });
      assertGenerated(answer, /^chat_[0-7][0-9a-z]{25}$/, api.models.chat);
      assert.equal(answer.body['finishReason'], 'tool-calls');
      const message = answer.body['message'] as { content: string; parts: readonly ToolCallPart[] };
      assert.equal(typeof message.content, 'string');
      const calls = message.parts.filter(({ type }) => type === 'tool-call');
      assert.deepEqual([calls[0]?.name, typeof calls[0]?.arguments.city], ['weather', 'string']);
      const results = calls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: 'Snow, 2 degrees.' }));
      const next = [...messages, message, ...results];
      const { toolChoice: _, ...again } = body;
      assertGenerated(await post(api, '/chat', { messages: next, ...again }), /^chat_/, api.models.chat);
    });

    it('streams the calls of a chat by their ids', async (api) => {
      const body = {
        messages,
        tools: [weather],
        toolChoice: { name: 'weather' },
        model: api.models.chat,
        stream: true,
      };
      const { text } = await post(api, '/chat', body);
      const events = readEvents(text);
      const message = events.at(-1)?.data['message'] as { readonly parts?: readonly ToolCallPart[] } | undefined;
      const parts = message?.parts ?? [];
      assert.ok(parts.length > 0, text);
      for (const call of parts.filter(({ type }) => type === 'tool-call')) {
        const pieces = events.slice(1, -1).flatMap(({ data }) => (data['toolCall'] as ToolCallPiece | undefined) ?? []);
        const own = pieces.filter(({ id, name }) => id === call.id && name === call.name);
        assert.deepEqual(JSON.parse(own.map((piece) => piece.arguments).join('')), call.arguments);
      }
    });

    it('answers POST /function-calling with the documented fields', async (api) => {
      const answer = await post(api, '/function-calling', { messages, functions: [weather], model: api.models.chat });
      assertGenerated(answer, /^function_call_[0-7][0-9a-z]{25}$/, api.models.chat);
      const call = answer.body['functionCall'] as { name: string; arguments: { city: unknown } };
      assert.deepEqual([call.name, typeof call.arguments.city], ['weather', 'string']);
    });

    it('answers POST /embeddings with the documented fields', async (api) => {
      const model = api.models.embeddings;
      const { status, body } = await post(api, '/embeddings', { text: 'The weather in Bern', model });
      assert.equal(status, 200);
      assert.match(String(body['id']), /^embedding_[0-7][0-9a-z]{25}$/);
      assert.deepEqual([body['model'], typeof body['tokens']], [model, 'number']);
      const embedding = body['embedding'] as readonly number[];
      assert.ok(embedding.length > 0 && embedding.every(Number.isFinite));
    });

    for (const [path, question] of [
      ['/generate', { prompt: 'Hello out there' }],
      ['/chat', { messages }],
    ] as const) {
      it(`streams ${path} as start, deltas and done`, async (api) => {
        const { status, headers, text } = await post(api, path, { ...question, model: api.models.chat, stream: true });
        assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream']);
        const events = readEvents(text);
        const names = events.map(({ event }) => event);
        assert.deepEqual(names, ['start', ...names.slice(1, -1).map(() => 'delta'), 'done']);
        const pieces = events.slice(1, -1).map(({ data }) => String(data['text']));
        const { id, text: whole, message } = events.at(-1)?.data ?? {};
        assert.equal(pieces.join(''), whole ?? (message as { content: string }).content);
        assert.notEqual(pieces.join(''), '');
        assert.equal(id, events[0]?.data['id']);
      });
    }

    it('lists its models and returns each by id, with a plain or encoded slash', async (api) => {
      const { body } = await api.ask('GET', '/models');
      const ids = (body['data'] as readonly { readonly id: string }[]).map(({ id }) => id);
      for (const id of Object.values(api.models)) {
        assert.ok(ids.includes(id));
        for (const path of [id, encodeURIComponent(id)]) {
          const found = await api.ask('GET', `/models/${path}`);
          assert.deepEqual([found.status, found.body['id']], [200, id], path);
        }
      }
      assertProblem(await api.ask('GET', '/models/test/nothing%20here'), 404, 'model_not_found');
    });

    it('reports each fault of a request with its pointer', async (api) => {
      assertProblem(await post(api, '/generate', {}), 400, 'invalid_request', '/prompt');
      assertProblem(await post(api, '/chat', { messages: [] }), 400, 'invalid_request', '/messages');
      assertProblem(await post(api, '/chat', { messages, stop: 'x' }), 400, 'invalid_request', '/stop');
      assertProblem(
        await post(api, '/generate', { prompt: 'x', max_tokens: 5 }),
        400,
        'invalid_request',
        '/max_tokens',
      );
      assertProblem(await post(api, '/generate', { prompt: 'x', model: 'no/model' }), 404, 'model_not_found');
    });
  });
}
