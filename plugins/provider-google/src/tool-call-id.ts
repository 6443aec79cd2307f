import { randomUUID } from 'node:crypto';

/** Sent for a call that no model of Google's made, as Google's documentation says. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

const prefix = /^gemini_(\d{1,6})_/;

/**
 * Gemini takes the history of a tool call only together with the signature of the thought that made it, and a
 * conversation is kept by the caller. So the signature travels in the id of the call, which callers return unchanged.
 *
 * Ids of other vendors come back as well and may have any form, so a packed id states how long its first part is:
 * `gemini_<length of id>_<id>.<signature>`.
 *
 * @param id The API's own id, where it gave one.
 */
export function packToolCallId(id: string | undefined, signature: string | undefined): string {
  const own = id || `call_${randomUUID().replaceAll('-', '')}`;
  // An id that looks packed is packed, so that it is not taken apart later.
  return signature || unpackToolCallId(own).id !== own ? `gemini_${own.length}_${own}.${signature ?? ''}` : own;
}

export function unpackToolCallId(packed: string): { readonly id: string; readonly signature?: string } {
  const [start, length] = prefix.exec(packed) ?? [];
  if (start === undefined) return { id: packed };
  const end = start.length + Number(length);
  if (packed[end] !== '.') return { id: packed };
  const id = packed.slice(start.length, end);
  const signature = packed.slice(end + 1);
  return signature === '' ? { id } : { id, signature };
}
