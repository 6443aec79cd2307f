import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The value of `webhook-signature`: one signature for each secret, so that a receiver can take its time to change from an
 * old secret to a new one (Standard Webhooks, "Signature scheme").
 *
 * @param secrets `whsec_` and the base64 of the key.
 */
export function signatureHeader(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
