import { createHash } from 'node:crypto';

/** The name under which reasoning is remembered, as its text may be long. */
export function reasoningDigest(text: string): string {
  return `reasoning:${createHash('sha256').update(text).digest('base64url')}`;
}
