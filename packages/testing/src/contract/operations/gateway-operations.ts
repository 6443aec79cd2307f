import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, rowsOf } from '../expect-answer.ts';
import { assertGenerated } from '../gateway-suite.ts';
import { readEvents } from '../read-events.ts';

const prompt = 'What is a patch bay? A patch bay has sockets. Cables connect them.';
const messages = [{ role: 'user', content: prompt }];
const getWeather = {
  name: 'getWeather',
  description: 'Get the weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const weatherMessages = [{ role: 'user', content: 'What is the weather in Lisbon?' }];

export function gatewayOperations(suite: ApiSuite): void {
  suite.describe('gateway', () => {
    calls(suite);
    catalogue(suite);
  });
}

/** The result at the end of a stream, which must be complete. */
async function streamed(api: ApiClient, path: string, body: object) {
  const { status, text } = await api.ask('POST', path, { body: { ...body, stream: true } });
  assert.equal(status, 200, text);
  const events = readEvents(text);
  assert.deepEqual([events[0]?.event, events.at(-1)?.event], ['start', 'done']);
  assert.equal(events.at(-1)?.data['id'], events[0]?.data['id']);
  return events.at(-1)?.data ?? {};
}

function calls({ it }: ApiSuite): void {
  it('generate responds with the text, and streams it', async (api) => {
    const body = { prompt, model: api.models.chat, maxTokens: 64 };
    assertProblem(await api.ask('POST', '/generate', { body: {} }), 400, 'invalid_request', '/prompt');
    const unknown = await api.ask('POST', '/generate', { body: { prompt, model: 'no/model' } });
    assertProblem(unknown, 404, 'model_not_found');
    const answer = await api.ask('POST', '/generate', { body });
    assertGenerated(answer, /^generation_/, api.models.chat);
    assertMembers(await streamed(api, '/generate', body), { text: answer.body['text'], model: api.models.chat });
  });

  it('chat responds with the next message, and streams it', async (api) => {
    const body = { messages, model: api.models.chat };
    assertProblem(await api.ask('POST', '/chat', { body: { messages: [] } }), 400, 'invalid_request', '/messages');
    const unknown = await api.ask('POST', '/chat', { body: { messages, model: 'no/model' } });
    assertProblem(unknown, 404, 'model_not_found');
    const answer = await api.ask('POST', '/chat', { body });
    assertGenerated(answer, /^chat_/, api.models.chat);
    const { message } = answer.body as { readonly message: { readonly role: string } };
    assert.equal(message.role, 'assistant');
    assertMembers(await streamed(api, '/chat', body), { message, model: api.models.chat });
  });

  it('embed responds with a vector', async (api) => {
    const model = api.models.embeddings;
    assertProblem(await api.ask('POST', '/embeddings', { body: { model } }), 400, 'invalid_request', '/text');
    const { status, body } = await api.ask('POST', '/embeddings', {
      body: { text: 'A patch bay has sockets.', model },
    });
    assert.equal(status, 200);
    assert.equal(body['model'], model);
    const embedding = body['embedding'] as readonly number[];
    assert.ok(embedding.length > 0 && embedding.every(Number.isFinite));
  });

  it('generateFunctionCall responds with a function and its arguments, and streams them', async (api) => {
    const body = { messages: weatherMessages, functions: [getWeather], model: api.models.chat };
    const without = await api.ask('POST', '/function-calling', { body: { messages: weatherMessages } });
    assertProblem(without, 400, 'invalid_request', '/functions');
    const answer = await api.ask('POST', '/function-calling', { body });
    assertGenerated(answer, /^function_call_/, api.models.chat);
    const { functionCall } = answer.body as { readonly functionCall: { name: string; arguments: { city: unknown } } };
    assert.deepEqual([functionCall.name, typeof functionCall.arguments.city], ['getWeather', 'string']);
    assertMembers(await streamed(api, '/function-calling', body), { functionCall });
  });
}

function catalogue({ it }: ApiSuite): void {
  it('listModels responds with the models of all providers', async (api) => {
    const rows = rowsOf(await api.ask('GET', '/models'));
    const capabilities = new Map(rows.map((row) => [row['id'], row['capabilities'] as readonly string[]]));
    assert.ok(capabilities.get(api.models.chat)?.includes('chat'));
    assert.ok(capabilities.get(api.models.embeddings)?.includes('embeddings'));
    for (const { id, provider, name } of rows) assert.equal(id, [provider, name].join('/'));
  });

  it('getModel responds with one, and its price', async (api) => {
    assertProblem(await api.ask('GET', '/models/no/model'), 404, 'model_not_found');
    const { status, body } = await api.ask('GET', `/models/${api.models.chat}`);
    assert.equal(status, 200);
    assert.equal(body['id'], api.models.chat);
    assertMembers(body['pricing'] as Readonly<Record<string, unknown>>, { currency: 'USD', unit: '1M tokens' });
  });

  it('explainModels ranks the models that fit a request, and says why others are out', async (api) => {
    const unknown = await api.ask('POST', '/models/explain', { body: { messages, model: 'no/model' } });
    assertProblem(unknown, 404, 'model_not_found');
    const body = { messages, routing: { optimize: 'cost' } };
    const { status, body: explained } = await api.ask('POST', '/models/explain', { body });
    assert.equal(status, 200);
    const rows = explained['data'] as readonly Readonly<Record<string, unknown>>[];
    const refusals = new Map(rows.map(({ id, refused }) => [id, refused]));
    assert.deepEqual([refusals.has(api.models.chat), refusals.get(api.models.chat)], [true, undefined]);
    assert.match(String(refusals.get(api.models.embeddings)), /\bchat\b/);
  });
}
