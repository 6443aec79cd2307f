import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireReply } from '../output/reply.ts';
import { discardBody, isBodyUnread } from './discard-body.ts';

/** Write an answer to a `node:http` response. */
export async function sendReply(reply: WireReply, message: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { status, headers, body } = reply;
  const unread = isBodyUnread(message);
  if (reply.close || unread) headers['Connection'] = 'close';
  if (typeof body === 'object') {
    response.writeHead(status, headers);
    return await sendStream(body, response);
  }
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  if (!unread) {
    response.end(body);
    return;
  }
  // Closing a connection on which data still arrives resets it, and the answer can be lost with it: so the answer goes
  // out first, and the connection ends when the rest was taken in, or is too much.
  response.flushHeaders();
  if (body !== undefined && message.method !== 'HEAD') response.write(body);
  await discardBody(message);
  response.end();
}

async function sendStream(stream: AsyncIterable<string>, response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  try {
    for await (const piece of stream) {
      if (response.destroyed) return;
      if (!response.write(piece)) await once(response, 'drain', { signal: closed.signal });
    }
    response.end();
  } catch {
    // The head is out, so a broken connection is the only way left to say that the answer is not complete.
    response.destroy();
  }
}
