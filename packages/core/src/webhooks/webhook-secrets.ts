import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { WebhookRow } from '@patchbay/contracts/rows';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { SecretBox } from '../secrets/secret-box.ts';

type SecretField = 'secret' | 'previousSecret';

/** 32 random bytes, as Standard Webhooks writes them. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function sealSecret(box: SecretBox, tenant: TenantId, id: string, field: SecretField, secret: string): string {
  return box.seal(secret, { tenant, kind: `webhooks.${field}`, id });
}

/** The secrets that sign deliveries now, newest first. Empty if none can be decrypted. */
export function openSecrets(
  box: SecretBox,
  tenant: TenantId,
  { id, secret, previousSecret, previousUntil }: WebhookRow,
  now: number,
): readonly string[] {
  const open = (sealed: string, field: SecretField) => box.open(sealed, { tenant, kind: `webhooks.${field}`, id });
  const current = open(secret, 'secret');
  if (current === undefined) return [];
  const isOver = previousUntil === null || Date.parse(previousUntil) <= now;
  const before = previousSecret === null || isOver ? undefined : open(previousSecret, 'previousSecret');
  return before === undefined ? [current] : [current, before];
}

const PREFIX = 'whsec_';

/**
 * The value of `webhook-signature`: one signature for each secret, so that a receiver can change from an old secret to
 * a new one at its own pace (Standard Webhooks, "Signature scheme").
 *
 * @param secrets `whsec_` and the base64 of the key.
 */
export function signatureHeader(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) => {
      const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
      const key = createSecretKey(encoded, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
