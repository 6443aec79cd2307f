import { tenantId } from '@patchbay/core/plugin';
import type { ApiKeyRow } from '@patchbay/core/storage';
import { createMemoryStorage } from '@patchbay/core/storage';
import { authenticatorConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { createApiKeyAuthenticator } from './api-key-authenticator.ts';

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const logger = { debug() {}, info() {}, warn() {}, error() {} };

authenticatorConformance(
  { describe, it },
  {
    async create() {
      const storage = createMemoryStorage();
      const authenticator = createApiKeyAuthenticator({
        announce: () => {},
        clock,
        rootSecret: { derive: () => Buffer.alloc(32, 1) },
        storage,
        logger,
        bootstrapKey: undefined,
        tenant: 'default',
        environment: 'live',
      });
      let count = 0;
      return {
        authenticator,
        async issue({ tenant, scopes, expired = false, expiresAt }) {
          const issued = authenticator.keys?.issue();
          if (!issued) throw new Error('it makes no keys');
          count += 1;
          const row: ApiKeyRow = {
            id: `key_${count}`,
            revision: 1,
            lookupId: issued.lookupId,
            name: 'Test',
            secretHash: issued.secretHash,
            scopes,
            createdAt: '2026-01-01T00:00:00.000Z',
            createdBy: 'test',
            expiresAt: expired ? '2026-01-02T00:00:00.000Z' : expiresAt ? new Date(expiresAt).toISOString() : null,
            revokedAt: null,
            ipAddresses: null,
            functions: null,
            rateLimit: null,
            budget: null,
            lastUsedAt: null,
            rotatedAt: null,
            previousHash: null,
            previousUntil: null,
          };
          await storage.commit(tenantId(tenant), [{ insert: 'apiKeys', row }]);
          return issued.key;
        },
        dispose: async () => {},
      };
    },
  },
);
