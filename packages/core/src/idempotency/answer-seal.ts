import type { JsonObject } from '../contracts/json.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { KeptAnswer } from './idempotency-service.ts';

/** Closes answers before they are stored, because some hold a secret that is shown once. */
export interface AnswerSeal {
  /** @param id Of the row: a sealed answer does not open in any other. */
  close(tenant: TenantId, id: string, answer: KeptAnswer): JsonObject;
  /** Undefined where it was closed under another root secret, or tampered with. */
  open(tenant: TenantId, id: string, sealed: JsonObject): KeptAnswer | undefined;
}

export function createAnswerSeal(box: SecretBox): AnswerSeal {
  const place = (tenant: TenantId, id: string) => ({ tenant, kind: 'idempotencyKeys.answer', id });
  return {
    close: (tenant, id, answer) => ({ sealed: box.seal(JSON.stringify(answer), place(tenant, id)) }),
    open(tenant, id, { sealed }) {
      const text = typeof sealed === 'string' ? box.open(sealed, place(tenant, id)) : undefined;
      return text === undefined ? undefined : (JSON.parse(text) as KeptAnswer);
    },
  };
}
