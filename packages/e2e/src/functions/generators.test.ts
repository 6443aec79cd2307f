import { request } from 'node:http';
import { createClient } from '@patchbay/client';
import { describe, expect, it } from 'vitest';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Functions that are generators, from their `yield` in a real process to a client over HTTP.

const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { isolation: cold } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
executions: { timeoutMs: 60000 }
`;

const server = useServerHere({ config, hasSandboxes: true });

const text = { type: 'object', properties: { text: { type: 'string' } } } as const;

async function save(name: string, code: string, output: object = { type: 'object' }): Promise<string> {
  const { status, body } = await server.ask('POST', '/functions', { name, input: { type: 'object' }, output, code });
  expect(body).toMatchObject({ name });
  expect(status).toBe(201);
  return String(body['id']);
}

const stream = (path: string, body: object, signal?: AbortSignal) =>
  fetch(server.running.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, ...body }),
    ...(signal && { signal }),
  });

interface Event {
  readonly event: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a response so far read, one at a time. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let rest = '';
  for await (const chunk of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    const texts = (rest + chunk).split('\n\n');
    rest = texts.pop() ?? '';
    for (const each of texts) {
      const [, event, json = '{}'] = /^event: (\w+)\ndata: (.*)$/s.exec(each) ?? [];
      yield { event, data: JSON.parse(json) as Event['data'] };
    }
  }
}

const count = 'export default async function* ({ n }) { for (let i = 0; i < n; i++) yield { i }; }';

describe('a function that is a generator', () => {
  it('its 10,000 outputs arrive in order, and the last one is the output', async () => {
    await save('Count', count);
    const outputs: unknown[] = [];
    let done: Event['data'] = {};
    for await (const { event, data: given } of eventsOf(await stream('/call/count', { input: { n: 10_000 } }))) {
      if (event === 'delta') outputs.push(given['output']);
      if (event === 'done') done = given;
    }
    expect(outputs).toEqual(Array.from({ length: 10_000 }, (_, i) => ({ i })));
    expect(done).toMatchObject({ source: 'stored', output: { i: 9_999 } });
    const execution = await server.ask('GET', `/executions/${String(done['executionId'])}`);
    expect(execution.body).toMatchObject({ status: 'completed', output: { i: 9_999 } });
  });

  it('shows its outputs to the client of this project', async () => {
    await save('Client count', count);
    const ai = createClient({ baseUrl: server.running.url, apiKey: adminKey }).ai;
    const pieces: unknown[] = [];
    for await (const piece of ai['clientCount'].stream({ n: 3 })) pieces.push(piece);
    expect(pieces).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }, { i: 2 }]);
  });

  it('gives its last output where nothing is streamed, and in the background', async () => {
    const id = await save('Count once', count);
    const { body } = await server.ask('POST', `/functions/${id}/execute`, { input: { n: 3 } });
    expect(body).toMatchObject({ status: 'completed', output: { i: 2 } });
    const called = await server.ask('POST', '/call/countOnce', { input: { n: 2 } });
    expect(called.body).toMatchObject({ output: { i: 1 } });
    const prefer = { prefer: 'respond-async' };
    const queued = await server.ask('POST', `/functions/${id}/execute`, { input: { n: 5 } }, prefer);
    const read = async () => (await server.ask('GET', `/executions/${String(queued.body['id'])}`)).body;
    await expect.poll(async () => await read()).toMatchObject({ status: 'completed', output: { i: 4 } });
  });

  it('has the lines that it logs in their place among its outputs', async () => {
    const code =
      'export default async function* () { yield { a: 1 }; console.log("x"); yield { a: 2 }; console.log("y"); yield { a: 3 }; }';
    await save('Narrate', code);
    const narrated = async (path: string, body: object) => {
      const seen: unknown[] = [];
      for await (const { event, data: given } of eventsOf(await stream(path, body))) {
        if (event === 'delta') seen.push((given['output'] as { a: number }).a);
        if (event === 'log') seen.push(given['message']);
      }
      return seen;
    };
    const unsaved = { code, input: { type: 'object' }, output: { type: 'object' } };
    for (let run = 0; run < 8; run += 1) {
      expect(await narrated('/call/narrate', { input: {}, logs: true })).toEqual([1, 'x', 2, 'y', 3]);
      expect(await narrated('/functions/test', { function: unsaved, input: {} })).toEqual([1, 'x', 2, 'y', 3]);
    }
  });

  it('fails in the middle of its stream, and by its output schema', async () => {
    await save('Break', 'async function* run() { yield { text: "a" }; throw new Error("no"); }', text);
    await save('Misfit', 'async function* run() { yield { text: 5 }; }', text);
    const told = async (name: string) => {
      const seen: unknown[] = [];
      for await (const { event, data: given } of eventsOf(await stream(`/call/${name}`, {}))) {
        if (event !== 'start') seen.push(event === 'delta' ? given['output'] : [event, given['code']]);
      }
      return seen;
    };
    expect(await told('break')).toEqual([{ text: 'a' }, ['error', 'function_failed']]);
    expect(await told('misfit')).toEqual([{ text: 5 }, ['error', 'function_output_invalid']]);
  });

  it('writes the content of a chat with the model that it is', async () => {
    await save('Spell', 'async function* run({ word }) { for (const letter of word) yield letter; }', text);
    const messages = [{ role: 'user', content: '{"word":"grün"}' }];
    const response = await stream('/v1/chat/completions', { model: 'fn/spell', messages });
    const pieces = [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => {
      const { choices } = JSON.parse(json) as { choices: { delta: { content?: string } }[] };
      return choices[0]?.delta.content ?? '';
    });
    expect(pieces.filter((piece) => piece !== '')).toEqual(['{"text":"g', 'r', 'ü', 'n', '"}']);
    const anthropic = await stream('/v1/messages', { model: 'fn/spell', messages, max_tokens: 100 });
    const deltas = [...(await anthropic.text()).matchAll(/"text_delta","text":"((?:[^"\\]|\\.)*)"/g)];
    expect(deltas.map(([, piece]) => JSON.parse(`"${piece}"`) as string).join('')).toBe('{"text":"grün"}');
  });

  it('waits while its client does not read, and its process ends when the client leaves', async () => {
    const large = `export default async function* (_, { log }) {
      for (let n = 0; n < 200; n++) { log.info(String(n)); yield { n, filler: 'x'.repeat(100_000) }; }
    }`;
    await save('Large', large);
    const authorization = `Bearer ${adminKey}`;
    const path = `${server.running.url}/call/large`;
    const sending = request(path, { method: 'POST', headers: { authorization, 'content-type': 'application/json' } });
    const started = new Promise((resolve) => sending.once('response', resolve));
    sending.on('error', () => {});
    sending.end('{"stream":true}');
    await started;
    // All outputs of another one arrive meanwhile.
    let others = 0;
    for await (const { event } of eventsOf(await stream('/call/large', {}))) if (event === 'delta') others += 1;
    expect(others).toBe(200);
    const running = (await server.ask('GET', '/executions?status=running')).body['data'] as { id: string }[];
    expect(running).toHaveLength(1);
    const id = String(running[0]?.id);
    expect(sandboxProcesses(server.running.data)).not.toEqual([]);
    sending.destroy();
    await expect.poll(() => sandboxProcesses(server.running.data)).toEqual([]);
    const read = async () => (await server.ask('GET', `/executions/${id}`)).body;
    await expect.poll(read).toMatchObject({ status: 'cancelled' });
    expect(((await read())['logs'] as unknown[]).length).toBeLessThan(150);
  });
});
