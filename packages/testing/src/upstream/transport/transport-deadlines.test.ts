import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { beginChunks, endChunks, type Reply, writeChunk } from '../exchange.ts';
import { upstreamReplies as replies } from '../upstream-replies.ts';
import { chat, rejection, transportTests } from './fixtures/transport-under-test.ts';

interface DeadlineCase {
  readonly limit: 'connectMs' | 'firstByteMs' | 'idleMs' | 'totalMs';
  readonly says: string;
  readonly reply?: Reply;
  readonly tls?: 'hang';
}

describe('deadlines of a transport', () => {
  const start = transportTests(afterEach);

  const cases: readonly DeadlineCase[] = [
    { limit: 'connectMs', says: 'did not accept a connection', tls: 'hang' },
    { limit: 'firstByteMs', says: 'did not begin to answer', reply: replies.hang() },
    { limit: 'firstByteMs', says: 'did not begin to answer', reply: replies.hangAfterHeaders() },
    { limit: 'idleMs', says: 'sent nothing more', reply: replies.hangMidBody() },
    { limit: 'idleMs', says: 'sent nothing more', reply: replies.hangMidStream() },
    { limit: 'totalMs', says: 'did not finish', reply: replies.trickle(5) },
    { limit: 'totalMs', says: 'did not finish', reply: replies.hang() },
    { limit: 'totalMs', says: 'did not finish', tls: 'hang' },
  ];

  it.each(cases)('$limit ends a call whose upstream $says', async ({ limit, says, reply = replies.healthy(), tls }) => {
    const { upstream, post } = await start(tls ? { tls } : {});
    upstream.script(reply);
    const error = await rejection(
      post({ body: chat({ stream: true }) }, { [limit]: 60 }).then((response) => response.text()),
    );
    expect(error).toMatchObject({
      code: 'provider_timeout',
      message: `the model provider ${says} within 60 ms`,
      upstream: { kind: 'timeout' },
    });
    // The official SDKs drop the cause of an error that has these words.
    expect(String(error)).not.toMatch(/timed? ?out/i);
    await upstream.whenSocketsClosed();
  });

  /** A test whose clock stands still unless the test moves it: a busy machine does not miss a deadline. */
  const withStillClock = (test: () => Promise<void>) => async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      await test();
    } finally {
      vi.useRealTimers();
    }
  };

  it(
    'leave a completion ten minutes, and then close its connection',
    withStillClock(async () => {
      const { upstream, post } = await start();
      upstream.script(replies.hang());
      const arrived = upstream.nextRequest();
      const ended = rejection(post());
      const { closed } = await arrived;
      vi.advanceTimersByTime(599_000);
      expect(closed.aborted).toBe(false);
      vi.advanceTimersByTime(1_000);
      expect(await ended).toMatchObject({
        code: 'provider_timeout',
        message: expect.stringContaining('within 600000 ms'),
      });
    }),
  );

  it('distinguish a request that was never sent', async () => {
    const { post } = await start({ tls: 'hang' });
    expect(await rejection(post({}, { totalMs: 60 }))).toMatchObject({ upstream: { unsent: true } });
  });

  it(
    'distinguish a request that was sent',
    withStillClock(async () => {
      const { upstream, post } = await start();
      upstream.script(replies.hang());
      const arrived = upstream.nextRequest();
      const ended = rejection(post({}, { totalMs: 60 }));
      await arrived;
      vi.advanceTimersByTime(60);
      const error = await ended;
      expect(error).toMatchObject({ upstream: { kind: 'timeout' } });
      expect(error).not.toMatchObject({ upstream: { unsent: true } });
    }),
  );

  it('leave a call alone that is in time', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.delayed(30, replies.bytewise({ text: 'slow' })));
    const limits = { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
    const response = await post({ body: chat({ stream: true }) }, limits);
    expect(await response.text()).toContain('[DONE]');
    await wait(10);
    expect(upstream.openSockets()).toBe(1);
  });

  it('leave a call alone whose response arrived while the process was paused', async () => {
    const { upstream, post } = await start();
    upstream.script((exchange) => {
      // Before the response, which is sent in this turn of the event loop, can be read.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500));
      return replies.healthy()(exchange);
    });
    expect((await post({}, { firstByteMs: 1_000 })).status).toBe(200);
  });

  it(
    'exclude the time of a slow reader',
    withStillClock(async () => {
      const { upstream, post } = await start();
      const pieces = 128;
      const piece = Buffer.alloc(65_536, 'x');
      let sent = 0;
      upstream.script(async (exchange) => {
        await beginChunks(exchange, { 'content-type': 'application/json' });
        for (; sent < pieces; sent += 1) await writeChunk(exchange, piece);
        await endChunks(exchange);
      });
      const response = await post({}, { idleMs: 100 });
      const body = response.body?.values();
      const first = await body?.next();
      // Until the upstream cannot send any more.
      for (let turns = 0, before = sent; turns < 100; turns = sent === before ? turns + 1 : 0) {
        before = sent;
        await new Promise(setImmediate);
      }
      expect(sent).toBeLessThan(pieces);
      vi.advanceTimersByTime(1_000);
      let received = first?.value?.byteLength ?? 0;
      for await (const { byteLength } of body ?? []) received += byteLength;
      expect(received).toBe(pieces * piece.byteLength);
    }),
  );

  it(
    'end a call whose response is never read',
    withStillClock(async () => {
      const { upstream, post } = await start();
      upstream.script(replies.largeChunkedBody(8 * 1024 * 1024));
      const response = await post({}, { totalMs: 100 });
      vi.advanceTimersByTime(100);
      await upstream.whenSocketsClosed();
      expect(await rejection(response.text())).toMatchObject({ upstream: { kind: 'timeout' } });
    }),
  );
});
