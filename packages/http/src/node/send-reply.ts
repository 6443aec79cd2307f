import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStreamed, type Streamed, type WireReply } from '../output/wire.ts';

/** Characters of a stream. */
const WRITTEN_AT_ONCE = 16_384;

/**
 * Write a reply to a `node:http` response.
 *
 * @example
 * ```ts
 * import type { IncomingMessage, ServerResponse } from 'node:http';
 * import { PatchbayError } from '@patchbay/core';
 * import { problemReply, sendReply } from '@patchbay/http';
 *
 * export const refuse = (message: IncomingMessage, response: ServerResponse) =>
 *   sendReply(problemReply(new PatchbayError('overloaded', 'too busy'), 'request_1'), message, response);
 * ```
 */
export async function sendReply(reply: WireReply, message: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { status, headers, body } = reply;
  const unread = isBodyUnread(message);
  // HTTP/2 has no such header, and ends single requests instead.
  if ((reply.close || unread) && message.httpVersionMajor < 2) headers['Connection'] = 'close';
  if (isStreamed(body)) {
    response.writeHead(status, headers);
    return await sendStream(body, response);
  }
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  if (!unread) {
    response.end(body);
    return;
  }
  // Closing a connection on which data still arrives resets it, and can lose the response with it: so the response goes
  // out first, and the connection ends when the rest has been read, or is too much.
  response.flushHeaders();
  if (body !== undefined && message.method !== 'HEAD') response.write(body);
  await discardBody(message);
  response.end();
}

async function sendStream(stream: Streamed, response: ServerResponse): Promise<void> {
  // Pieces that are available together go out together: a write to the socket costs more than making a piece. Not with
  // `cork`: in Node the end of a corked message can overtake what was written before.
  let waiting = '';
  const write = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '' && !response.destroyed) response.write(text);
  };
  try {
    for await (const piece of stream) {
      if (response.destroyed) return;
      if (typeof piece === 'string') {
        if (waiting === '') process.nextTick(write);
        waiting += piece;
        // A source that never waits would otherwise be buffered completely.
        if (waiting.length >= WRITTEN_AT_ONCE) write();
      } else {
        write();
        if (piece.length > 0) response.write(piece);
      }
      if (response.writableNeedDrain) await drained(response);
    }
    write();
    response.end();
  } catch {
    // The head has been sent, so breaking the connection is the only way left to signal an incomplete response.
    response.destroy();
  }
}

/** Resolves when the response accepts more, and rejects if it is closed first. */
async function drained(response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  const onClose = (): void => closed.abort();
  response.once('close', onClose);
  try {
    await once(response, 'drain', { signal: closed.signal });
  } finally {
    response.off('close', onClose);
  }
}

/** How much of an unwanted body is read before the connection is cut, and for how long. */
const limits = { bytes: 16_777_216, milliseconds: 2_000 };

/** Whether part of the body has not been read. */
function isBodyUnread(message: IncomingMessage): boolean {
  return !message.complete && !message.readableEnded && !message.destroyed;
}

/** Read and discard the rest of a body: until it ends, a limit is reached, or the connection breaks. */
async function discardBody(message: IncomingMessage): Promise<void> {
  if (!isBodyUnread(message)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.bytes) resolve();
  };
  const timer = setTimeout(resolve, limits.milliseconds);
  message
    .on('data', take)
    .once('end', resolve)
    .once('close', resolve)
    .once('error', () => resolve());
  message.resume();
  await promise;
  clearTimeout(timer);
  message.off('data', take).pause();
}
