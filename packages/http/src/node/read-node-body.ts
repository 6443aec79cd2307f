import type { IncomingMessage } from 'node:http';
import { PatchbayError } from '@patchbay/core';
import { bodyTooLarge } from '../input/body.ts';

/**
 * Collect the body of a request. By events and not by iteration, which costs several times as much for small bodies
 * and destroys the connection when it is left early.
 *
 * @throws PatchbayError `body_too_large`, with the rest left unread; `client_closed_request`.
 */
export async function readNodeBody(message: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > limitBytes) reject(bodyTooLarge(limitBytes));
  };
  const end = () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
  const fail = () => {
    // Every message closes after its end, and an error that nobody sees costs as much as one that is thrown.
    if (message.readableEnded) return;
    reject(new PatchbayError('client_closed_request', 'the connection was closed within the body'));
  };
  message.on('data', take).once('end', end).once('error', fail).once('close', fail);
  if (message.destroyed && !message.complete) fail();
  try {
    return await promise;
  } catch (error) {
    message.pause();
    throw error;
  } finally {
    message.off('data', take).off('end', end).off('error', fail).off('close', fail);
    // Without any listener a late error, such as a reset connection, would end the process.
    message.on('error', () => {});
  }
}
