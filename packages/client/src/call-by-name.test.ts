import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Patchbay, startPatchbay } from './fixtures/start-patchbay.ts';
import { type APIError, type Client, createClient, ExecutionError } from './index.ts';

// The client against a real server that can be called by name: every call is one request.

let server: Patchbay;
let client: Client;
beforeAll(async () => {
  server = await startPatchbay(false);
  client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
  const code = `export default ({ text }) => {
    if (text === '') throw new Error('no text');
    return { text: text.toUpperCase() };
  };`;
  await client.functions.create({ name: 'Shout Text', input: text, output: text, code });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
});

describe('a call by name', () => {
  it('executes the stored function, by its name and by its key', async () => {
    const { data, meta } = await client.ai['Shout Text']({ text: 'a' }).withMeta();
    expect([data, meta]).toMatchObject([
      { text: 'A' },
      {
        name: 'Shout Text',
        source: 'stored',
        id: expect.stringMatching(/^call_/),
        functionId: expect.stringMatching(/^function_/),
        executionId: expect.stringMatching(/^execution_/),
        requestId: expect.stringMatching(/^request_/),
        retries: 0,
      },
    ]);
    expect(meta).not.toHaveProperty('input');
    expect(await client.ai['shoutText']({ text: 'b' })).toEqual({ text: 'B' });
    expect(server.requests).toEqual(['POST /call/Shout%20Text', 'POST /call/shoutText']);
  });

  it('returns the output of a model in the declared shape, transformed by the schema', async () => {
    const ai = client.AI({
      label: { mood: 'happy | sad' },
      count: z.object({ words: z.int().transform((value) => [value]) }),
    });
    const { data, meta } = await ai.label({ text: 'I am happy' }).withMeta();
    expect(['happy', 'sad']).toContain(data.mood);
    expect(meta).toMatchObject({ source: 'generated', model: expect.stringMatching(/^demo\//), functionId: null });
    expect(await ai.count({ text: 'one two 3' })).toEqual({ words: [expect.any(Number)] });
    expect(server.requests).toEqual(['POST /call/label', 'POST /call/count']);
  });

  it('streams', async () => {
    const ai = client.AI({ shoutText: { text: 'a text' } });
    const stream = ai.shoutText.stream({ text: 'c' });
    const parts = [];
    for await (const part of stream) parts.push(part);
    expect(parts.at(-1)).toEqual({ text: 'C' });
    expect(await stream.final()).toEqual({ text: 'C' });
    expect((await stream.withMeta()).meta.source).toBe('stored');
  });

  it('of an unknown name is refused with the nearest one, and not tried in another way', async () => {
    const error = (await client.ai['shoutTexts']({ text: 'a' }).catch((thrown: unknown) => thrown)) as APIError;
    expect(error).toMatchObject({ status: 404, code: 'function_not_found', problem: { nearest: ['Shout Text'] } });
    expect(error.message).toContain('did you mean "Shout Text"?');
    expect(server.requests).toEqual(['POST /call/shoutTexts']);
  });

  it('that fails rejects with its execution', async () => {
    const error = await client.ai['shoutText']({ text: '' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toMatchObject({ code: 'function_failed', execution: { status: 'failed' } });
    await expect(client.ai['shoutText']({})).rejects.toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/input/text' }],
    });
    const streamed = client.ai['shoutText'].stream({ text: '' }).final();
    await expect(streamed).rejects.toMatchObject({ name: 'ExecutionError', code: 'function_failed' });
  });

  it('with a shape that the server refuses reports where', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '(a' } } } as const;
    const error = await client.ai.$call('label', {}, { schema }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 422, code: 'schema_invalid' });
    expect((error as APIError).errors[0]?.pointer).toContain('/output');
  });
});
