import { randomUUID } from 'node:crypto';

/** What goes to Google for a call that no model of Google's made, as Google's documentation says. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

/**
 * Gemini takes the history of a tool call only together with the signature of the thought that made it, and a
 * conversation is kept by the caller. So the signature travels in the id of the call, which callers give back as it is.
 *
 * @param id The API's own id, where it gave one.
 */
export function packToolCallId(id: string | undefined, signature: string | undefined): string {
  const own = id || `call_${randomUUID().replaceAll('-', '')}`;
  return signature ? `${own}.${signature}` : own;
}

export function unpackToolCallId(packed: string): { readonly id: string; readonly signature?: string } {
  const dot = packed.indexOf('.');
  return dot < 0 ? { id: packed } : { id: packed.slice(0, dot), signature: packed.slice(dot + 1) };
}
