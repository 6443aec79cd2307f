import type { App } from '@patchbay/core';
import { expect, it } from 'vitest';
import { runOnce } from './idempotent.ts';
import type { IdempotencyClaim, KeptAnswer } from './service-types.ts';

const piece = `data: ${'x'.repeat(1_000)}\n\n`;

/** Read a stream of these pieces through a claim that keeps 10,000 characters; returns what became of the claim. */
async function endOf(pieces: readonly (string | Uint8Array)[]): Promise<readonly (string | number)[]> {
  const ends: (string | number)[] = [];
  const claim: IdempotencyClaim = {
    maxBodyLength: 10_000,
    answered: async ({ body }: KeptAnswer) => void ends.push(body?.length ?? 0),
    lost: async () => void ends.push('lost'),
    release: async () => void ends.push('released'),
  };
  const app = { services: { idempotency: { begin: async () => ({ claim }), cancel: () => 0 } } } as unknown as App;
  const reply = await runOnce(app, {
    caller: { id: 'key_a', kind: 'api-key', tenant: 'a', scopes: [] } as never,
    key: 'k',
    endpoint: 'POST /chat',
    request: '{}',
    signal: new AbortController().signal,
    onCancel: () => {},
    isModelCall: async () => true,
    fail: (error) => {
      throw error;
    },
    run: async () => ({
      status: 200,
      headers: {},
      close: false,
      body: (async function* () {
        yield* pieces;
      })(),
    }),
  });
  let read = 0;
  for await (const text of reply.body as AsyncIterable<string>) read += text.length;
  expect(read).toBe(pieces.reduce((sum, { length }) => sum + length, 0));
  return ends;
}

it('a stream with a key is kept up to the size limit of stored responses, and passed on whole in any case', async () => {
  const times = (count: number) => Array.from({ length: count }, () => piece);
  expect(await endOf(times(9))).toEqual([9 * piece.length]);
  expect(await endOf(times(10))).toEqual(['lost']);
  expect(await endOf(times(1_000))).toEqual(['lost']);
});

it.each([
  ['data: {"choices":[]}\n\ndata: {"error":{"message":"no"}}\n\n', ['released']],
  ['event: error\ndata: {"type":"error"}\n\n', ['released']],
  ['data: {"text":"\\ndata: {\\"error\\":"}\n\n', [expect.any(Number)]],
])('a forwarded stream with a key can be sent again if the vendor reported a failure: %j', async (text, ends) => {
  const bytes = new TextEncoder().encode(text);
  expect(await endOf([bytes.subarray(0, 25), bytes.subarray(25)])).toEqual(ends);
});
