import { performance } from 'node:perf_hooks';
import { PatchbayError } from '../contracts/errors.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Attributes } from '../contracts/telemetry.ts';
import type { Measuring } from './measuring.ts';

type Operation = 'commit' | 'get' | 'list' | 'scan';

const done: Readonly<Record<Operation, Attributes>> = {
  commit: { operation: 'commit', 'error.type': '' },
  get: { operation: 'get', 'error.type': '' },
  list: { operation: 'list', 'error.type': '' },
  scan: { operation: 'scan', 'error.type': '' },
};

/** A storage that has been started, whose every operation is measured. A refused commit is an answer, and no error. */
export function measuredStorage(storage: Storage, { record }: Pick<Measuring, 'record'>): Storage {
  const measure = async <T>(operation: Operation, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const end = (attributes: Attributes) =>
      record('patchbay.storage.operation.duration', (performance.now() - startedAt) / 1_000, attributes);
    try {
      const answer = await work();
      end(done[operation]);
      return answer;
    } catch (error) {
      end({ operation, 'error.type': PatchbayError.is(error) ? error.code : 'internal_error' });
      throw error;
    }
  };
  const pending = storage.pendingMigrations?.bind(storage);
  return {
    ...(storage.capabilities && { capabilities: storage.capabilities }),
    ...(storage.signals && { signals: storage.signals }),
    ...(pending && { pendingMigrations: pending }),
    get: (tenant, collection, id) => measure('get', () => storage.get(tenant, collection, id)),
    list: (tenant, collection, query) => measure('list', () => storage.list(tenant, collection, query)),
    commit: (tenant, writes) => measure('commit', () => storage.commit(tenant, writes)),
    scanAllTenants: (collection, where, limit, sort, heads) =>
      measure('scan', () => storage.scanAllTenants(collection, where, limit, sort, heads)),
    migrate: () => storage.migrate(),
  };
}
