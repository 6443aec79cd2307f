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
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limitBytes) stop(bodyTooLarge(limitBytes));
    };
    const stop = (error: PatchbayError) => {
      message.off('data', take).pause();
      reject(error);
    };
    const fail = () => {
      // Every message closes after its end, and an error that nobody sees costs as much as one that is thrown.
      if (message.readableEnded || size > limitBytes) return;
      stop(new PatchbayError('client_closed_request', 'the connection was closed within the body'));
    };
    // The listeners stay: to take them off would cost more, and without any a late error would end the process.
    message.on('data', take).on('error', fail).on('close', fail);
    message.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
    if (message.destroyed && !message.complete) fail();
  });
}
