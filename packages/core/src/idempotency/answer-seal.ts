import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { JsonObject } from '../contracts/json.ts';
import type { RootSecret } from '../contracts/root-secret.ts';
import type { KeptAnswer } from './idempotency-service.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Closes answers before they are stored, because some hold a secret that is shown once. */
export interface AnswerSeal {
  /** @param id Of the row: a sealed answer does not open in any other. */
  close(id: string, answer: KeptAnswer): JsonObject;
  /** Undefined where it was closed under another root secret, or tampered with. */
  open(id: string, sealed: JsonObject): KeptAnswer | undefined;
}

/** AES-256-GCM under a key that is derived from the root secret. */
export function createAnswerSeal(rootSecret: RootSecret): AnswerSeal {
  const key = rootSecret.derive('idempotency answers');
  return {
    close(id, answer) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
      const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
      return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64') };
    },
    open(id, { sealed }) {
      const bytes = Buffer.from(typeof sealed === 'string' ? sealed : '', 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(text.toString('utf8')) as KeptAnswer;
      } catch {
        return undefined;
      }
    },
  };
}
