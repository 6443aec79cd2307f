import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Patchbay, startPatchbay } from './fixtures/start-patchbay.ts';
import { type Client, createClient, ExecutionError } from './index.ts';

// The client against a real server that has the published interface and no extension of it.

let server: Patchbay;
let client: Client;
beforeAll(async () => {
  server = await startPatchbay(true);
});
afterAll(() => server.stop());
beforeEach(() => {
  client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  server.requests.length = 0;
});

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const store = (name: string, code: string) => client.functions.create({ name, input: text, output: text, code });
const shout = 'export default ({ text }) => ({ text: text.toUpperCase() });';

describe('a stored function', () => {
  it('resolves by name, else by key, with one lookup', async () => {
    const { id } = await store('Shout Text', shout);
    server.requests.length = 0;
    const { ai } = client;
    const { data, meta } = await ai['Shout Text']({ text: 'a' }).withMeta();
    expect([data, meta]).toMatchObject([
      { text: 'A' },
      { name: 'Shout Text', source: 'stored', functionId: id, id: expect.stringMatching(/^execution_/), warnings: [] },
    ]);
    expect(await ai['shoutText']({ text: 'b' })).toEqual({ text: 'B' });
    const named = await ai['shoutText']({ text: 'c' }, { model: 'demo/extractive' }).withMeta();
    expect(named.meta.warnings).toEqual(['this server has no use for the option "model" here']);
    const execute = `POST /functions/${id}/execute`;
    const list = 'GET /functions?limit=100&offset=0';
    expect(server.requests).toEqual(['POST /call/Shout%20Text', list, execute, execute, execute]);
    expect(await client.functions.delete(id)).toMatchObject({ success: true });
    await expect(ai['shoutText']({ text: 'd' })).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('streams its output in one piece, validated by the declared schema', async () => {
    const { id } = await store('quiet', 'export default ({ text }) => ({ text: text.toLowerCase() });');
    const ai = client.AI({ quiet: z.object({ text: z.string().transform((value) => value.length) }) });
    const stream = ai.quiet.stream({ text: 'ABC' });
    const pieces = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces).toEqual([{ text: 'abc' }]);
    expect(await stream.final()).toEqual({ text: 3 });
    await client.functions.delete(id);
  });

  it('that fails is an error with its execution', async () => {
    const { id } = await store('broken', "export default () => { throw new Error('no luck'); };");
    const error = await client.ai['broken']({ text: 'a' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toMatchObject({
      code: 'function_failed',
      execution: { functionId: id, status: 'failed', error: { message: expect.stringContaining('no luck') } },
    });
    await expect(client.ai['broken']({})).rejects.toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/input/text' }],
    });
    await client.functions.delete(id);
  });

  it('whose name another one has is refused with both ids', async () => {
    const one = await store('Twice', shout);
    const other = await store('Twice', shout);
    await expect(client.ai['Twice']({ text: 'a' })).rejects.toMatchObject({
      status: 409,
      code: 'ambiguous_function_name',
      message: expect.stringContaining(one.id),
    });
    await client.functions.delete(other.id);
    expect(await createClient({ baseUrl: server.url, apiKey: server.apiKey }).ai['Twice']({ text: 'a' })).toEqual({
      text: 'A',
    });
    await client.functions.delete(one.id);
  });

  it('resolves beyond the first page of the list', async () => {
    const names = Array.from({ length: 103 }, (_, index) => `Number ${index}`);
    const ids = [];
    for (const name of names) ids.push((await store(name, shout)).id);
    server.requests.length = 0;
    expect(await client.ai['number0']({ text: 'a' })).toEqual({ text: 'A' });
    expect(server.requests.filter((request) => request.startsWith('GET'))).toEqual([
      'GET /functions?limit=100&offset=0',
      'GET /functions?limit=100&offset=100',
    ]);
    for (const id of ids) await client.functions.delete(id);
  });
});

describe('a name that nothing is stored under', () => {
  it('returns the output of a model in the declared shape', async () => {
    const ai = client.AI({
      classify: { mood: 'happy | sad', score: 'how sure, 0 to 1 (number)', 'words?': ['a word'] },
    });
    const { data, meta } = await ai.classify({ text: 'I am happy today' }, { model: 'demo/extractive' }).withMeta();
    expect(['happy', 'sad']).toContain(data.mood);
    expect(typeof data.score).toBe('number');
    expect(meta).toMatchObject({
      name: 'classify',
      source: 'generated',
      model: expect.stringMatching(/^demo\//),
      totalTokens: expect.any(Number),
      id: expect.stringMatching(/^function_call_/),
      requestId: expect.stringMatching(/^request_/),
    });
    expect(meta.warnings.join()).toContain('not a language model');
    expect(server.requests.at(-1)).toBe('POST /function-calling');
  });

  it('returns text as the result when no shape is declared', async () => {
    const text = 'Patch bays connect things. They have holes.';
    expect(await client.ai['summarize']({ text })).toEqual({ result: expect.stringContaining('Patch bays') });
    expect(await client.ai.$call('Zusammenfassung für 雨', { text })).toEqual({ result: expect.any(String) });
  });

  it('has its output unwrapped if its root is not an object', async () => {
    const tags = await client.ai.$call('tags', { text: 'red green' }, { schema: z.array(z.string()) });
    expect(Array.isArray(tags)).toBe(true);
  });
});

describe('the endpoints', () => {
  it('respond as documented', async () => {
    const messages = [{ role: 'user', content: 'Hello there' }] as const;
    expect(typeof (await client.generate({ prompt: 'Hello there', maxTokens: 20 })).text).toBe('string');
    expect((await client.chat({ messages })).message.role).toBe('assistant');
    const { data } = await client.models.list();
    const embedder = data.find(({ capabilities }) => capabilities.includes('embeddings'));
    expect((await client.embeddings({ text: 'Hello' })).embedding.length).toBe(embedder?.dimensions);
    expect((await client.models.get(embedder?.id ?? '')).createdAt).toMatch(/^\d{4}-/);
    await expect(client.models.get('demo/none')).rejects.toMatchObject({ code: 'model_not_found' });
    const stored = await store('Kept', shout);
    expect((await client.functions.get(stored.id)).code).toBe(shout);
    const { code: _, ...fields } = stored;
    const replaced = await client.functions.replace(stored.id, { ...fields, code: `${shout}\n` });
    expect(replaced.updatedAt > stored.updatedAt).toBe(true);
    expect((await client.functions.list({ limit: 1 })).meta).toMatchObject({ total: 1, limit: 1 });
    expect((await client.functions.execute(stored.id, { text: 'a' })).output).toEqual({ text: 'A' });
    await client.functions.delete(stored.id);
  });

  it('refuse a caller without a key', async () => {
    const stranger = createClient({ baseUrl: server.url, apiKey: 'wrong' });
    await expect(stranger.ai['f']()).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
  });
});
