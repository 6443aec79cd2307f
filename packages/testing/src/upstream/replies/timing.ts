import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { beginChunks, type Exchange, headText, type Reply, writeChunk } from '../exchange.ts';

/** Accepts the request and never responds. */
export function hang(): Reply {
  return (exchange) => closed(exchange);
}

export function hangAfterHeaders(): Reply {
  return async (exchange) => {
    await exchange.write(headText(exchange, 200, { 'content-type': 'application/json', 'content-length': '100' }));
    await closed(exchange);
  };
}

/** Sends some of a body, and then nothing more. */
export function hangMidBody(): Reply {
  return async (exchange) => {
    await beginChunks(exchange, { 'content-type': 'application/json' });
    await writeChunk(exchange, '{"id":');
    await closed(exchange);
  };
}

/** Sends one byte after another and never ends. */
export function trickle(everyMs: number): Reply {
  return async (exchange) => {
    await beginChunks(exchange, { 'content-type': 'application/json' });
    while (!exchange.request.closed.aborted) {
      await writeChunk(exchange, ' ');
      await wait(everyMs);
    }
  };
}

/** Lets some time pass before another reply. */
export function delayed(milliseconds: number, reply: Reply): Reply {
  return async (exchange) => {
    await wait(milliseconds);
    await reply(exchange);
  };
}

export async function closed({ request }: Exchange): Promise<void> {
  if (!request.closed.aborted) await once(request.closed, 'abort');
}
