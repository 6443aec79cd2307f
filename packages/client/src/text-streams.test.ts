import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Patchbay, startPatchbay } from './fixtures/start-patchbay.ts';
import { events, json, type ScriptedServer, startServer } from './fixtures/start-server.ts';
import { APIError, type Chat, createClient, type FunctionCall, type Generation, type TextStream } from './index.ts';

let server: ScriptedServer;
let patchbay: Patchbay;
beforeAll(async () => {
  [server, patchbay] = await Promise.all([startServer(), startPatchbay(false)]);
});
afterAll(async () => {
  await server.stop();
  await patchbay.stop();
});

const client = () => createClient({ baseUrl: server.url, maxRetries: 0 });
const messages = [{ role: 'user', content: 'Say it.' }] as const;

async function piecesOf(stream: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

describe('a text stream', () => {
  it('yields pieces that add up to the whole', async () => {
    const { generate, chat } = createClient({ baseUrl: patchbay.url, apiKey: patchbay.apiKey });
    const generation: TextStream<Generation> = generate({ prompt: 'Say nothing at all about it.', stream: true });
    const pieces = await piecesOf(generation);
    const { text, model, totalTokens } = await generation.final();
    expect(pieces.length).toBeGreaterThan(1);
    expect([pieces.join(''), model]).toEqual([text, expect.stringMatching(/^demo\//)]);
    expect(totalTokens).toBeGreaterThan(0);
    const talk: TextStream<Chat> = chat({ messages, stream: true });
    expect((await piecesOf(talk)).join('')).toBe((await talk.final()).message.content);
    // The stream need not be read.
    expect((await chat({ messages, stream: true }).final()).message.content).toBeTruthy();
  });

  it('yields the arguments of a function call so far, from the start after a restart', async () => {
    server.script(
      events([
        ['start', {}],
        ['delta', { text: '{"city":' }],
        ['restart', { detail: 'the call did not fit; the model is asked again' }],
        ['delta', { text: '{"city":"Li' }],
        ['delta', { text: 'sbon"}' }],
        ['done', { id: 'function_call_1', functionCall: { name: 'getWeather', arguments: { city: 'Lisbon' } } }],
      ]),
    );
    const functions = [{ name: 'getWeather', parameters: { type: 'object' } }];
    const stream: TextStream<FunctionCall> = client().functionCalling({ messages, functions, stream: true });
    expect(await piecesOf(stream)).toEqual(['{"city":', '{"city":"Li', '{"city":"Lisbon"}', '{"city":"Lisbon"}']);
    expect((await stream.final()).functionCall).toEqual({ name: 'getWeather', arguments: { city: 'Lisbon' } });
    expect(server.requests).toMatchObject([{ path: '/function-calling', body: { stream: true } }]);
  });

  it('of a function call on a real server ends with the arguments of its result', async () => {
    const { functionCalling } = createClient({ baseUrl: patchbay.url, apiKey: patchbay.apiKey });
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const functions = [{ name: 'getWeather', description: 'Get the weather in a city.', parameters }];
    const stream = functionCalling({
      messages: [{ role: 'user', content: 'The weather in Lisbon?' }],
      functions,
      stream: true,
    });
    const pieces = await piecesOf(stream);
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.at(-1) ?? '')).toEqual((await stream.final()).functionCall.arguments);
  });

  it('yields only the text of a chat; tool calls are in its result', async () => {
    const call = { type: 'tool-call', id: '1', name: 'getWeather', arguments: {} } as const;
    const message = {
      role: 'assistant',
      content: 'I look.',
      parts: [{ type: 'text', text: 'I look.' }, call],
    } as const;
    server.script(
      events([
        ['start', {}],
        ['delta', { reasoning: 'Hm.' }],
        ['delta', { text: 'I ' }],
        ['resumed', { model: 'b/m', route: 'auto;resumed="b/m"' }],
        ['delta', { text: 'look.' }],
        ['delta', { toolCall: { id: '1', name: 'getWeather', arguments: '{}' } }],
        ['done', { id: 'chat_1', message, finishReason: 'tool-calls' }],
      ]),
    );
    const tools = [{ name: 'getWeather', parameters: { type: 'object' } }];
    const body = { messages, tools, toolChoice: 'auto', parallelToolCalls: true, stop: ['END'], seed: 7 } as const;
    const stream = client().chat({ ...body, reasoningEffort: 'low', stream: true });
    expect(await piecesOf(stream)).toEqual(['I ', 'look.']);
    expect(await stream.final()).toMatchObject({ message, finishReason: 'tool-calls' });
    expect(server.requests).toMatchObject([{ path: '/chat', body: { ...body, reasoningEffort: 'low' } }]);
  });

  it('of tool calls alone yields nothing, and a real server accepts the message back', async () => {
    const { chat } = createClient({ baseUrl: patchbay.url, apiKey: patchbay.apiKey });
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ name: 'getWeather', description: 'Get the weather in a city.', parameters }];
    const question = { role: 'user', content: 'The weather in Lisbon?' } as const;
    const stream = chat({ messages: [question], tools, stream: true });
    expect(await piecesOf(stream)).toEqual([]);
    const { message } = await stream.final();
    const [call] = message.parts ?? [];
    if (call?.type !== 'tool-call') throw new Error('a call was expected');
    expect(call).toMatchObject({ name: 'getWeather', arguments: { city: 'Lisbon' } });
    const result = { role: 'tool', toolCallId: call.id, content: 'Sunny, 31 degrees.' } as const;
    const answer = await chat({ messages: [question, message, result], tools });
    expect(answer.message.content).toContain('Sunny, 31 degrees.');
  });

  it('an embedding is requested with its length, and not streamed', async () => {
    server.script(json({ id: 'embedding_1', embedding: [0.5], tokens: 1 }));
    expect(await client().embeddings({ text: 'a', dimensions: 1 })).toMatchObject({ embedding: [0.5] });
    expect(server.requests).toMatchObject([{ path: '/embeddings', body: { text: 'a', dimensions: 1 } }]);
  });

  it('becomes a whole response with stream: false', async () => {
    server.script(json({ id: 'generation_1', text: 'One.' }));
    expect(await client().generate({ prompt: 'a', stream: false })).toMatchObject({ text: 'One.' });
    expect(server.requests).toMatchObject([{ body: { prompt: 'a', stream: false } }]);
  });

  it('yields one piece when the server does not stream', async () => {
    server.script(json({ id: 'chat_1', message: { role: 'assistant', content: 'Hello there.' } }));
    const stream = client().chat({ messages, stream: true });
    expect(await piecesOf(stream)).toEqual(['Hello there.']);
    expect((await stream.final()).id).toBe('chat_1');
  });

  it('fails for iteration and final()', async () => {
    server.script(
      events([
        ['start', {}],
        ['delta', { text: 'a' }],
        ['error', { status: 502, code: 'provider_error' }],
      ]),
    );
    const stream = client().generate({ prompt: 'a', stream: true });
    await expect(piecesOf(stream)).rejects.toThrow(APIError);
    await expect(stream.final()).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('that is left closes the connection', async () => {
    server.script(events([['delta', { text: 'a' }]], () => {}));
    const arrived = server.next();
    for await (const piece of client().generate({ prompt: 'a', stream: true })) {
      expect(piece).toBe('a');
      break;
    }
    await (await arrived).closed;
  });
});
