import type { KeyObject } from 'node:crypto';
import type { KeyIssuer } from '@patchbay/core/plugin';
import { generateApiKey, hashApiKeySecret } from './api-key.ts';

/** Makes keys of one environment, `pbk_<environment>_…`. */
export function createKeyIssuer(pepper: KeyObject, environment: string): KeyIssuer {
  return {
    issue(lookupId) {
      const made = generateApiKey(environment, lookupId);
      return { key: made.key, lookupId: made.lookupId, secretHash: hashApiKeySecret(pepper, made.secret) };
    },
  };
}
