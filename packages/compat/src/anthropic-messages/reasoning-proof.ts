import type { ReasoningPart } from '@patchbay/core/provider';
import { definedMembers, fieldsOf, textOf } from '@patchbay/core/provider';

/**
 * Prefix of the signatures that Patchbay writes. Anthropic rejects them: a body with one cannot be forwarded to it as
 * it is, see `hasProofs`.
 */
const PREFIX = 'patchbay1.';

/** Whether a body has a signature that was written here. */
export function hasProofs(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(PREFIX);
}

type Proof = Pick<ReasoningPart, 'by' | 'signature' | 'encrypted'>;

/**
 * The signature of a thinking block: who reasoned, and the proof of that vendor. Clients return signatures unchanged and
 * read nothing from them, so reasoning of any vendor comes back to the one that it belongs to, and to no other.
 */
export function writeProof({ by, signature, encrypted }: Proof): string {
  const text = JSON.stringify(definedMembers({ by, signature, encrypted }));
  return PREFIX + Buffer.from(text).toString('base64url');
}

/** Undefined for a signature that was not written here: a vendor's own, which does not show whose it is. */
export function readProof(signature: string): Proof | undefined {
  if (!signature.startsWith(PREFIX)) return undefined;
  const fields = fieldsOf(parse(Buffer.from(signature.slice(PREFIX.length), 'base64url').toString()));
  if (!fields) return undefined;
  const member = (name: keyof Proof) => textOf(fields[name]);
  return definedMembers({ by: member('by'), signature: member('signature'), encrypted: member('encrypted') });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
