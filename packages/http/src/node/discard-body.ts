import type { IncomingMessage } from 'node:http';

/** How much of an unwanted body is taken in before the connection is cut, and for how long. */
const limits = { bytes: 16_777_216, milliseconds: 2_000 };

/** Whether part of the body has not been read. */
export function isBodyUnread(message: IncomingMessage): boolean {
  return !message.complete && !message.readableEnded && !message.destroyed;
}

/** Take in the rest of a body without keeping it: until it ends, or a limit is reached, or the connection breaks. */
export async function discardBody(message: IncomingMessage): Promise<void> {
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
