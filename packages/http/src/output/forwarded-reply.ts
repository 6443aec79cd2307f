import type { App } from '@patchbay/core';
import type { Reply } from './wire.ts';

type Relayed = Awaited<ReturnType<App['services']['gateway']['relayChat']>>;
export type ForwardedAnswer = Extract<Relayed, { readonly forwarded: unknown }>;

/** A response as its vendor sent it. */
export async function forwardedReply({ id, route, forwarded }: ForwardedAnswer, isStream: boolean): Promise<Reply> {
  const { status, headers: received, body } = forwarded;
  const { 'content-type': mediaType = 'application/json', ...others } = received;
  const head = { status, mediaType, headers: { ...others, 'Patchbay-Call': id, 'Patchbay-Route': route } };
  return isStream ? { ...head, stream: body } : { ...head, text: await bytesOf(body) };
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const [only, second] = pieces;
  return only && !second ? only : Buffer.concat(pieces);
}
