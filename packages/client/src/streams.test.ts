import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { events, json, output, type ScriptedServer, startServer } from './fixtures/start-server.ts';
import { APIError, ConnectionError, createClient, OutputInvalidError, TimeoutError } from './index.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ai = () =>
  createClient({ baseUrl: server.url }).AI({ list: z.array(z.string()), plan: { title: 'text', steps: ['step'] } });
const start = ['start', { id: 'call_1' }] as const;
const delta = (output: object) => ['delta', { output }] as const;
const plan = { title: 'A plan', steps: ['one', 'two'] };
const done = ['done', { id: 'call_1', source: 'generated', model: 'a/b', output: plan, warnings: [] }] as const;

async function piecesOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const pieces: T[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

describe('a stream', () => {
  it('yields the output while it is written, then the whole', async () => {
    const seen = [{ title: 'A' }, { title: 'A plan' }, { title: 'A plan', steps: ['one'] }, plan];
    // Each event is sent once the previous one has been seen.
    const steps = seen.map(() => Promise.withResolvers<void>());
    const send = async (response: ServerResponse): Promise<void> => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = ([event, data]: readonly [string, object]) =>
        response.write(`event: ${event}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`);
      write(start);
      for (const [index, output] of seen.entries()) {
        write(delta(output));
        await steps[index]?.promise;
      }
      write(done);
      response.end();
    };
    server.script((response) => void send(response));
    const stream = ai().plan.stream({ idea: 'x' });
    const pieces = [];
    for await (const piece of stream) {
      steps[pieces.length]?.resolve();
      pieces.push(piece);
    }
    expect(pieces).toEqual([...seen, plan]);
    expect(await stream.final()).toEqual(plan);
    expect((await stream.withMeta()).meta).toMatchObject({ name: 'plan', model: 'a/b', requestId: undefined });
    expect(server.requests).toMatchObject([{ body: { input: { idea: 'x' }, stream: true } }]);
  });

  it('resolves final() without being iterated', async () => {
    server.script(events([start, delta({ title: 'A' }), done]));
    expect(await ai().plan.stream().final()).toEqual(plan);
  });

  it('continues after a restart event and ignores unknown events', async () => {
    const restart = ['restart', { detail: 'the answer did not fit; the model is asked again' }] as const;
    server.script(events([start, delta({ title: 'Wrong' }), restart, ['ping', {}], delta({ title: 'A' }), done]));
    expect(await piecesOf(ai().plan.stream())).toEqual([{ title: 'Wrong' }, { title: 'A' }, plan]);
  });

  it('parses events that arrive byte by byte', async () => {
    server.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = `: comment\n\nevent: delta\ndata: {"output":\ndata: {"title":"é 😀"}}\n\nevent:done\ndata:${JSON.stringify(done[1])}\n\n`;
      for (const byte of Buffer.from(text)) response.write(Uint8Array.of(byte));
      response.end();
    });
    expect(await piecesOf(ai().plan.stream())).toEqual([{ title: 'é 😀' }, plan]);
  });

  it('unwraps an output that is not an object', async () => {
    const result = { result: ['a', 'b'] };
    server.script(events([delta({ result: ['a'] }), ['done', { output: result }]]));
    const stream = ai().list.stream();
    expect(await piecesOf(stream)).toEqual([['a'], ['a', 'b']]);
    expect(await stream.final()).toEqual(['a', 'b']);
  });

  it('yields one piece when the server does not stream', async () => {
    server.script(output(plan));
    const stream = ai().plan.stream();
    expect(await piecesOf(stream)).toEqual([plan]);
    expect(await stream.final()).toEqual(plan);
  });

  it.each([
    [
      'an error event',
      events([start, ['error', { status: 502, code: 'provider_error', detail: 'down' }]]),
      APIError,
      /^502, provider_error, down/,
    ],
    ['no end', events([start, delta({ title: 'A' })]), ConnectionError, /the stream ended early/],
    [
      'a cut',
      events([start], (response) => setImmediate(() => response.destroy())),
      ConnectionError,
      /no response from/,
    ],
    ['silence', events([start], () => {}), TimeoutError, /within 100 ms/],
    ['a refusal', json({ code: 'input_invalid' }, 422), APIError, /^422, input_invalid/],
  ])('with %s fails for iteration and final()', async (_name, answer, Type, message) => {
    server.script(answer);
    const timeout = Type === TimeoutError ? 100 : 20_000;
    const iterated = ai().plan.stream({}, { timeout, maxRetries: 0 });
    const error = await piecesOf(iterated).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Type);
    expect((error as Error).message).toMatch(message);
    await expect(iterated.final()).rejects.toBe(error);
    await expect(ai().plan.stream({}, { timeout, maxRetries: 0 }).final()).rejects.toThrow(message);
  });

  it('with an output that does not fit fails at its end', async () => {
    server.script(events([['done', { output: { result: [5] } }]]));
    await expect(ai().list.stream().final()).rejects.toThrow(OutputInvalidError);
  });

  it('that is left closes the connection', async () => {
    server.script(events([start, delta({ title: 'A' })], () => {}));
    const arrived = server.next();
    const stream = ai().plan.stream();
    for await (const piece of stream) {
      expect(piece).toEqual({ title: 'A' });
      break;
    }
    await (await arrived).closed;
    await expect(stream.final()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('that is aborted closes the connection', async () => {
    server.script(events([start, delta({ title: 'A' })], () => {}));
    const controller = new AbortController();
    const arrived = server.next();
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const _ of ai().plan.stream({}, { signal: controller.signal })) controller.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await (await arrived).closed;
  });

  it('fails silently when it is never read', async () => {
    server.script(json({}, 422));
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    const arrived = server.next();
    ai().plan.stream();
    await (await arrived).closed;
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});
