import type { App } from '@patchbay/core';
import { warningHeader } from './warning-header.ts';
import type { Reply } from './wire.ts';

type Relayed = Awaited<ReturnType<App['services']['gateway']['relayChat']>>;
type ForwardedAnswer = Extract<Relayed, { readonly forwarded: unknown }>;

/** A response as its vendor sent it. */
export function forwardedReply({ id, route, warnings, forwarded }: ForwardedAnswer): Reply {
  const { status, headers: received, body } = forwarded;
  const { 'content-type': mediaType = 'application/json', ...others } = received;
  const own = { 'Patchbay-Call': id, 'Patchbay-Route': route, ...warningHeader(warnings) };
  const head = { status, mediaType, headers: { ...others, ...own } };
  if (!(body instanceof Uint8Array)) return { ...head, stream: body };
  // Its bytes are known to be UTF-8, and a string goes out in one piece with the head.
  return { ...head, text: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() };
}
