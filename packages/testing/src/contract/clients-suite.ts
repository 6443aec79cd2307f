import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { testPrompts } from '../app/test-models.ts';
import type { ApiClient, HostSuite } from './api-under-test.ts';
import { createFunctionAt } from './sample-function.ts';

/** Pieces of 32 KiB: more than all buffers between a model and a client that does not read could ever hold. */
const TOO_MANY_PIECES = 2_000;

const code = 'export default () => new Promise(() => {})';

function stream(api: ApiClient, prompt: string, signal?: AbortSignal): Promise<Response> {
  const body = { prompt, model: api.models.chat, stream: true };
  return api.open('POST', '/generate', { body, ...(signal && { signal }) });
}

function readerOf(response: Response): ReadableStreamDefaultReader<string> {
  if (!response.body) throw new Error('the answer has no body');
  return response.body.pipeThrough(new TextDecoderStream()).getReader();
}

async function readUntil(reader: ReadableStreamDefaultReader<string>, wanted: string): Promise<string> {
  for (let text = ''; ; ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended before ${wanted}: ${text}`);
    text += value;
    if (text.includes(wanted)) return text;
  }
}

/** Deno does not abort a request whose response object was garbage-collected. */
async function leave(client: AbortController, reader: ReadableStreamDefaultReader<string>): Promise<void> {
  client.abort();
  await reader.cancel().catch(() => undefined);
}

/** Resolves when the number has not changed for a while. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1, same = 0; same < 5; ) {
    await delay(20);
    const next = count();
    same = next === last ? same + 1 : 0;
    last = next;
    if (next > TOO_MANY_PIECES) break;
  }
  return count();
}

const messages = [{ role: 'user', content: testPrompts.hang }];

/** Requests in the formats of OpenAI and Anthropic, and the first output of their streams. */
const compatible = [
  { path: '/v1/chat/completions', body: { messages }, output: '"content":"You ' },
  { path: '/v1/messages', body: { messages, max_tokens: 64 }, output: 'event: content_block_delta' },
  { path: '/v1/responses', body: { input: testPrompts.hang }, output: 'event: response.output_text.delta' },
] as const;

/** Clients that leave, and clients that read slowly. */
export function clientsSuite({ describe, it }: HostSuite): void {
  describe('a client', () => {
    it('that leaves an execution ends it', async (api, { functions }) => {
      const path = await createFunctionAt(api, { code });
      const client = new AbortController();
      const next = functions.nextRun();
      const body = { input: { text: 'x' } };
      const answer = api.open('POST', `${path}/execute`, { body, signal: client.signal });
      const run = await next;
      const aborted = once(run.signal, 'abort');
      client.abort();
      await answer.catch(() => undefined);
      await aborted;
      for (let status = 'running'; status === 'running'; ) {
        const { body: page } = await api.ask('GET', `${path}/executions`);
        status = (page['data'] as readonly [{ readonly status: string }])[0].status;
        if (status !== 'running') assert.equal(status, 'cancelled');
      }
    });

    it('that leaves before an answer ends the request to the model', async (api, { models }) => {
      const client = new AbortController();
      const next = models.nextRequest();
      const body = { prompt: testPrompts.hang, model: api.models.chat };
      const answer = api.open('POST', '/generate', { body, signal: client.signal });
      const { signal } = await next;
      const aborted = once(signal, 'abort');
      client.abort();
      await answer.catch(() => undefined);
      await aborted;
    });

    it('receives the pieces of a stream as they are made, and leaving ends the request to the model', async (api, {
      models,
    }) => {
      const client = new AbortController();
      const next = models.nextRequest();
      const reader = readerOf(await stream(api, testPrompts.hang, client.signal));
      await readUntil(reader, 'event: delta');
      const { signal, pieces } = await next;
      assert.equal(pieces(), 1);
      const aborted = once(signal, 'abort');
      await leave(client, reader);
      await aborted;
    });

    for (const { path, body, output } of compatible) {
      const ask = (api: ApiClient, signal: AbortSignal, streaming: object) =>
        api.open('POST', path, { body: { model: api.models.chat, ...body, ...streaming }, signal });

      it(`that leaves ${path} before the answer ends the request to the model`, async (api, { models }) => {
        const client = new AbortController();
        const next = models.nextRequest();
        const answer = ask(api, client.signal, {});
        const { signal } = await next;
        const aborted = once(signal, 'abort');
        client.abort();
        await answer.catch(() => undefined);
        await aborted;
      });

      it(`that leaves a stream of ${path} ends the request to the model`, async (api, { models }) => {
        const client = new AbortController();
        const next = models.nextRequest();
        const reader = readerOf(await ask(api, client.signal, { stream: true }));
        await readUntil(reader, output);
        const { signal } = await next;
        const aborted = once(signal, 'abort');
        await leave(client, reader);
        await aborted;
      });
    }

    it('that stops reading holds back the model, and reads on later', async (api, { models }) => {
      const client = new AbortController();
      const next = models.nextRequest();
      const reader = readerOf(await stream(api, testPrompts.endless, client.signal));
      await readUntil(reader, 'event: delta');
      const { signal, pieces } = await next;
      const held = await settled(pieces);
      assert.ok(held < TOO_MANY_PIECES, `${held} pieces were made for a client that reads nothing`);
      while (pieces() === held) await reader.read();
      const aborted = once(signal, 'abort');
      await leave(client, reader);
      await aborted;
    });
  });
}
