import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes } from 'node:crypto';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { TenantId } from '@patchbay/contracts/tenant';

/** The row and field of a secret. An encrypted text is bound to it, so that it cannot be moved to another row. */
export interface SecretPlace {
  readonly tenant: TenantId;
  /** Collection and field, such as `webhooks.secret`. */
  readonly kind: string;
  readonly id: string;
}

/**
 * Encrypts secrets that must be readable again, such as those that sign webhooks, before they are stored: a copy
 * of the database alone decrypts nothing. Secrets that are only compared, such as API keys, are hashed instead.
 */
export interface SecretBox {
  /** Non-deterministic: equal strings yield different results. At most 2^32 strings per root secret. */
  seal(text: string, place: SecretPlace): string;
  /** Undefined if it was encrypted for another field or with an unknown root secret, or was tampered with. */
  open(sealed: string, place: SecretPlace): string | undefined;
  /** Whether it was encrypted with the current root secret. */
  isCurrent(sealed: string): boolean;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const form = /^sealed1\.([0-9a-f]{16})\.([\w-]{38,})$/;

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce, under a key derived from the root secret, bound to its location.
 * The format is `sealed1.<id of the key>.<nonce, text and tag in base64url>`.
 */
export function createSecretBox(rootSecret: RootSecret): SecretBox {
  const current = keyOf(rootSecret);
  const byId = new Map([...(rootSecret.previous ?? []).map(keyOf), current].map((key) => [key.id, key]));

  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.secret, nonce).setAAD(boundTo(current, place));
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final()];
      return `sealed1.${current.id}.${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url')}`;
    },

    open(sealed, place) {
      const [, id = '', text = ''] = form.exec(sealed) ?? [];
      const key = byId.get(id);
      if (!key) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      // Only one spelling for each: the last character has spare bits.
      if (bytes.toString('base64url') !== text) return undefined;
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(boundTo(key, place)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },

    isCurrent: (sealed) => form.exec(sealed)?.[1] === current.id,
  };
}

function keyOf(rootSecret: Pick<RootSecret, 'derive'>) {
  // Identifies the key that a string was encrypted with, without revealing it.
  const id = hash('sha256', Buffer.from(rootSecret.derive('secret box id')), 'hex').slice(0, 16);
  // As an object, because a cipher takes ten times as long to start with raw bytes.
  return { id, secret: createSecretKey(rootSecret.derive('secret box')) };
}

function boundTo({ id }: ReturnType<typeof keyOf>, place: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([1, id, place.tenant, place.kind, place.id]));
}
