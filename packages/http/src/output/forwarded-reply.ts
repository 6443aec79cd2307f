import type { App } from '@patchbay/core';
import type { Reply } from './wire.ts';

type Relayed = Awaited<ReturnType<App['services']['gateway']['relayChat']>>;
type ForwardedAnswer = Extract<Relayed, { readonly forwarded: unknown }>;

/** A response as its vendor sent it. */
export function forwardedReply({ id, route, forwarded }: ForwardedAnswer): Reply {
  const { status, headers: received, body } = forwarded;
  const { 'content-type': mediaType = 'application/json', ...others } = received;
  const head = { status, mediaType, headers: { ...others, 'Patchbay-Call': id, 'Patchbay-Route': route } };
  if (!(body instanceof Uint8Array)) return { ...head, stream: body };
  // Its bytes are known to be UTF-8, and a text goes out in one piece with the head.
  return { ...head, text: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() };
}
