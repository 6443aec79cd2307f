import assert from 'node:assert/strict';
import type { Answer, ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, rowsOf } from '../expect-answer.ts';

const prompt = 'What is a patch bay? A patch bay has sockets. Cables connect them.';
const messages = [{ role: 'user', content: prompt }];
const anthropic = { 'anthropic-version': '2023-06-01' };

type Members = Readonly<Record<string, unknown>>;

/** The operations in the formats of the APIs of OpenAI and Anthropic. */
export function compatibleOperations(suite: ApiSuite): void {
  suite.describe('compatible', () => {
    ofOpenAi(suite);
    ofAnthropic(suite);
    catalogue(suite);
  });
}

/** A refusal in the format of OpenAI. */
function assertOpenAiError(answer: Answer, status: number, code: string, param: string | null): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('x-request-id'), answer.headers.get('request-id'));
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assertMembers(answer.body['error'] as Members, { code, param });
}

/** A refusal in the format of Anthropic. */
function assertAnthropicError({ status, headers, body, text }: Answer, expected: number, type: string): void {
  assert.equal(status, expected, text);
  assertMembers(body, { type: 'error', request_id: headers.get('request-id') });
  assert.equal((body['error'] as Members)['type'], type);
}

function assertCalled({ status, headers, text }: Answer): void {
  assert.equal(status, 200, text);
  assert.match(headers.get('patchbay-call') ?? '', /^\w+_[0-7][0-9a-z]{25}$/);
  assert.equal(headers.get('patchbay-route'), 'named');
}

/** The text of a complete stream. */
async function streamed(api: ApiClient, path: string, body: object): Promise<string> {
  const answer = await api.ask('POST', path, { body: { ...body, stream: true } });
  assertCalled(answer);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  return answer.text;
}

const dataOf = (text: string): readonly string[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);

function ofOpenAi({ it }: ApiSuite): void {
  it('createChatCompletion responds with the next message, and streams it', async (api) => {
    const path = '/v1/chat/completions';
    const body = { model: api.models.chat, messages };
    const without = await api.ask('POST', path, { body: { messages } });
    assertOpenAiError(without, 400, 'missing_required_parameter', 'model');
    const unknown = await api.ask('POST', path, { body: { ...body, model: 'no/model' } });
    assertOpenAiError(unknown, 404, 'model_not_found', 'model');
    const anonymous = await api.ask('POST', path, { body, token: null });
    assertOpenAiError(anonymous, 401, 'invalid_api_key', null);
    const answer = await api.ask('POST', path, { body });
    assertCalled(answer);
    assertMembers(answer.body, { object: 'chat.completion', model: api.models.chat });
    const [choice] = answer.body['choices'] as readonly { readonly message: { readonly content: string } }[];
    const chunks = dataOf(await streamed(api, path, body));
    assert.equal(chunks.at(-1), '[DONE]');
    const deltas = chunks.slice(0, -1).map((chunk) => JSON.parse(chunk).choices[0].delta.content ?? '');
    assert.equal(deltas.join(''), choice?.message.content);
  });

  it('createResponse responds with items, which can be named in the next request, and streams them', async (api) => {
    const path = '/v1/responses';
    const body = { model: api.models.chat, input: prompt };
    const without = await api.ask('POST', path, { body: { input: prompt } });
    assertOpenAiError(without, 400, 'missing_required_parameter', 'model');
    const stored = await api.ask('POST', path, { body: { ...body, previous_response_id: 'resp_1' } });
    assertOpenAiError(stored, 400, 'unsupported_parameter', 'previous_response_id');
    const answer = await api.ask('POST', path, { body });
    assertCalled(answer);
    assertMembers(answer.body, { object: 'response', status: 'completed', model: api.models.chat, error: null });
    const [item] = answer.body['output'] as readonly { readonly id: string; readonly content: readonly Members[] }[];
    const reference = { type: 'item_reference', id: item?.id };
    const input = [{ role: 'user', content: prompt }, reference, { role: 'user', content: 'And a cable?' }];
    const named = await api.ask('POST', path, { body: { ...body, input } });
    // Servers know each other's items if they share a cache.
    if (named.status === 400) assertOpenAiError(named, 400, 'invalid_value', 'input[1].id');
    else assertCalled(named);
    const unknown = await api.ask('POST', path, { body: { ...body, input: [{ ...reference, id: 'msg_none' }] } });
    assertOpenAiError(unknown, 400, 'invalid_value', 'input[0].id');
    const events = dataOf(await streamed(api, path, body));
    assert.equal(events.at(-1), '[DONE]');
    const parsed = events.slice(0, -1).map((event) => JSON.parse(event));
    assert.deepEqual(
      parsed.map(({ sequence_number }) => sequence_number),
      parsed.map((_, index) => index),
    );
    const { type, response } = parsed.at(-1);
    assert.equal(type, 'response.completed');
    assert.deepEqual(response.output[0].content, item?.content);
  });

  it('compactResponse refuses a model that does not compact', async (api) => {
    const path = '/v1/responses/compact';
    const body = { model: api.models.chat, input: prompt };
    const without = await api.ask('POST', path, { body: { input: prompt } });
    assertOpenAiError(without, 400, 'missing_required_parameter', 'model');
    assertOpenAiError(await api.ask('POST', path, { body }), 400, 'unsupported_value', 'model');
  });

  it('createEmbeddings responds with a vector of each text', async (api) => {
    const model = api.models.embeddings;
    const without = await api.ask('POST', '/v1/embeddings', { body: { model } });
    assertOpenAiError(without, 400, 'missing_required_parameter', 'input');
    const input = ['A patch bay has sockets.', 'Cables connect them.'];
    const packed = await api.ask('POST', '/v1/embeddings', { body: { model, input, encoding_format: 'base64' } });
    const answer = await api.ask('POST', '/v1/embeddings', { body: { model, input } });
    assertCalled(answer);
    const vectors = rowsOf(answer).map(({ embedding }) => embedding as readonly number[]);
    assert.equal(vectors.length, 2);
    for (const [index, { embedding }] of rowsOf(packed).entries()) {
      const floats = new Float32Array(Uint8Array.from(Buffer.from(String(embedding), 'base64')).buffer);
      assert.deepEqual([...floats], [...Float32Array.from(vectors[index] ?? [])]);
    }
  });
}

function ofAnthropic({ it }: ApiSuite): void {
  it('createMessage responds with the next message, and streams it', async (api) => {
    const path = '/v1/messages';
    const body = { model: api.models.chat, max_tokens: 64, messages };
    const without = await api.ask('POST', path, { body: { ...body, max_tokens: undefined } });
    assertAnthropicError(without, 400, 'invalid_request_error');
    const unknown = await api.ask('POST', path, { body: { ...body, model: 'no/model' } });
    assertAnthropicError(unknown, 404, 'not_found_error');
    assertAnthropicError(await api.ask('POST', path, { body, token: null }), 401, 'authentication_error');
    const answer = await api.ask('POST', `${path}?beta=true`, { body, headers: anthropic });
    assertCalled(answer);
    assertMembers(answer.body, { type: 'message', role: 'assistant', model: api.models.chat });
    const [block] = answer.body['content'] as readonly { readonly text: string }[];
    const events = dataOf(await streamed(api, path, body)).map((data) => JSON.parse(data));
    assert.deepEqual([events[0].type, events.at(-1).type], ['message_start', 'message_stop']);
    const texts = events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta.text);
    assert.equal(texts.join(''), block?.text);
  });

  it('countMessageTokens responds with an estimate, and says so', async (api) => {
    const path = '/v1/messages/count_tokens';
    const body = { model: api.models.chat, messages };
    const unknown = await api.ask('POST', path, { body: { ...body, model: 'no/model' } });
    assertAnthropicError(unknown, 404, 'not_found_error');
    const { status, headers, body: count } = await api.ask('POST', path, { body });
    assert.equal(status, 200);
    assert.ok(Number(count['input_tokens']) >= 10);
    assert.match(headers.get('patchbay-warning') ?? '', /"the token count is an estimate"/);
  });
}

function catalogue({ it }: ApiSuite): void {
  it('listCompatibleModels responds with the models for the clients of both', async (api) => {
    assertOpenAiError(await api.ask('GET', '/v1/models', { token: null }), 401, 'invalid_api_key', null);
    const refused = await api.ask('GET', '/v1/models', { token: null, headers: anthropic });
    assertAnthropicError(refused, 401, 'authentication_error');
    const answer = await api.ask('GET', '/v1/models?limit=1000');
    const rows = rowsOf(answer);
    assert.ok(rows.some(({ id }) => id === api.models.chat));
    for (const row of rows) assertMembers(row, { object: 'model', type: 'model' });
    assertMembers(answer.body, { object: 'list', has_more: false, first_id: rows[0]?.['id'] });
  });

  it('getCompatibleModel responds with one', async (api) => {
    const unknown = await api.ask('GET', '/v1/models/no/model');
    assertOpenAiError(unknown, 404, 'model_not_found', 'model');
    for (const id of [api.models.chat, encodeURIComponent(api.models.chat)]) {
      const { status, body } = await api.ask('GET', `/v1/models/${id}`);
      assert.equal(status, 200);
      assertMembers(body, { id: api.models.chat, object: 'model', type: 'model' });
    }
  });
}
