import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../exchange.ts';
import { upstreamReplies as replies } from '../upstream-replies.ts';
import { chat, rejection, transportTests } from './fixtures/transport-under-test.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// `npm run faults:aborts` makes many.
const ROUNDS = 5;

/**
 * A signal is kept alive by other objects before and after the head of a response. A collection takes longer than everything else:
 * at full size there is one in every phase, otherwise in one of each kind.
 */
const collects = (phase: string): boolean =>
  process.env['PATCHBAY_TEST_SIZE'] === 'full' || ['while waiting for headers', 'within a stream'].includes(phase);

interface Phase {
  readonly reply: Reply;
  readonly tls?: 'hang';
  /** Resolves when the call is as far as the phase says; takes the answer as far as the phase needs. */
  readonly reached: 'connection' | 'request' | 'answer' | 'piece';
}

const phases: Readonly<Record<string, Phase>> = {
  'while connecting': { reply: replies.healthy(), tls: 'hang', reached: 'connection' },
  'while waiting for headers': { reply: replies.hang(), reached: 'request' },
  'while waiting for the body': { reply: replies.hangAfterHeaders(), reached: 'answer' },
  'within the body': { reply: replies.hangMidBody(), reached: 'answer' },
  'within a stream': { reply: replies.hangMidStream(), reached: 'piece' },
  'within a body larger than what is buffered': { reply: replies.largeChunkedBody(8_000_000), reached: 'piece' },
};

const signals: Readonly<
  Record<string, (signal: AbortSignal, url: string, body: string) => [string | Request, RequestInit]>
> = {
  'in init': (signal, url, body) => [url, { method: 'POST', headers, body, signal }],
  'in a Request': (signal, url, body) => [new Request(url, { method: 'POST', headers, body, signal }), {}],
  'that depends on others': (signal, url, body) => [
    url,
    { method: 'POST', headers, body, signal: AbortSignal.any([signal, AbortSignal.timeout(600_000)]) },
  ],
};
const headers = { authorization: 'Bearer key' };

describe('an abort', () => {
  const start = transportTests(afterEach);
  const cases = Object.keys(phases).flatMap((phase) => Object.keys(signals).map((signal) => [phase, signal] as const));

  it.each(cases)('%s, by a signal %s, closes the socket', async (phaseName, signalName) => {
    const phase = phases[phaseName] as Phase;
    const request = signals[signalName] as (typeof signals)[string];
    const { transport, upstream } = await start(phase.tls ? { tls: phase.tls } : {});
    upstream.script(phase.reply);
    const send = transport.createFetch({ baseUrl: upstream.baseUrl });
    const url = `${upstream.baseUrl}/chat/completions`;

    for (let round = 0; round < ROUNDS; round += 1) {
      const controller = new AbortController();
      const connected = upstream.nextConnection();
      const requested = upstream.nextRequest();
      const pending = send(...request(controller.signal, url, chat({ stream: true })));
      let reading: Promise<unknown> = pending;
      if (phase.reached === 'connection') await connected;
      if (phase.reached === 'request') await requested;
      if (phase.reached === 'answer') {
        const response = await pending;
        reading = response.text();
      }
      if (phase.reached === 'piece') {
        const reader = (await pending).body?.getReader();
        await reader?.read();
        reading = (async () => {
          while (!(await reader?.read())?.done) await new Promise(setImmediate);
        })();
      }
      const rejected = rejection(reading);
      if (round === 0 && collects(phaseName)) collectGarbage();
      const reason = new Error(`round ${round}`);
      controller.abort(reason);
      expect(await rejected).toBe(reason);
      await upstream.whenSocketsClosed();
    }
    expect(upstream.connections).toBe(ROUNDS);
  });

  it('before the call sends nothing', async () => {
    const { upstream, post } = await start();
    const reason = new Error('too late');
    expect(await rejection(post({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(upstream.connections).toBe(0);
  });

  it('right after the call leaves no connection behind', async () => {
    const { upstream, post } = await start();
    const controller = new AbortController();
    const rejected = rejection(post({ signal: controller.signal }));
    controller.abort();
    expect(await rejected).toMatchObject({ name: 'AbortError' });
    await upstream.whenSocketsClosed();
    expect(upstream.requests).toHaveLength(0);
  });

  it('after the answer has arrived changes nothing', async () => {
    const { upstream, post } = await start();
    const controller = new AbortController();
    const response = await post({ signal: controller.signal });
    await response.json();
    controller.abort();
    await (await post()).json();
    expect(upstream.connections).toBe(1);
  });

  it('of one call does not touch another', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.hang(), replies.delayed(50, replies.healthy()));
    const controller = new AbortController();
    const arrived = upstream.nextRequest();
    const rejected = rejection(post({ signal: controller.signal }));
    await arrived;
    const other = post();
    controller.abort();
    await rejected;
    expect(await (await other).json()).toHaveProperty('choices');
    expect(upstream.openSockets()).toBe(1);
  });
});
