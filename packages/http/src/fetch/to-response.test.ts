import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { toResponse } from './to-response.ts';

const replyOf = (body: string | AsyncIterable<string> | undefined) => ({
  status: 200,
  headers: {},
  body,
  close: false,
});

describe('toResponse', () => {
  it('tells the length in bytes, also for HEAD', async () => {
    const answer = toResponse(replyOf('äöü'), 'GET', () => {});
    expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['6', 'äöü']);
    const head = toResponse(replyOf('äöü'), 'HEAD', () => {});
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['6', '']);
  });

  it('makes no piece that nobody asked for', async () => {
    let made = 0;
    const endless = async function* () {
      for (;;) yield `data: ${++made}\n\n`;
    };
    const reader = toResponse(replyOf(endless()), 'GET', () => {}).body?.getReader();
    expect(made).toBe(0);
    for (const expected of [1, 2]) {
      const { value } = (await reader?.read()) ?? {};
      expect([new TextDecoder().decode(value), made]).toEqual([`data: ${expected}\n\n`, expected]);
    }
    await reader?.cancel();
  });

  it('tells a source that waits for its next piece that nobody reads any more', async () => {
    const left = new AbortController();
    const ended = Promise.withResolvers<void>();
    const waiting = async function* () {
      try {
        yield 'data: 1\n\n';
        await once(left.signal, 'abort');
        yield 'data: 2\n\n';
      } finally {
        ended.resolve();
      }
    };
    const reader = toResponse(replyOf(waiting()), 'GET', () => left.abort()).body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await reader?.cancel();
    expect((await next)?.done).toBe(true);
    await ended.promise;
  });

  it('fails where the source fails, so that nobody takes half for whole', async () => {
    const broken = async function* () {
      yield 'data: 1\n\n';
      throw new Error('broken source');
    };
    await expect(toResponse(replyOf(broken()), 'GET', () => {}).text()).rejects.toThrow('broken source');
  });
});
