import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createCursorCodec } from './cursor.ts';
import { listPage, type PageRequest } from './list-page.ts';

const cursors = createCursorCodec({ derive: () => Buffer.alloc(32) });
const context = { caller: { id: 'key_1', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] } } as const;
const page: PageRequest<'sequence'> = { limit: 2, offset: 9_998, sort: 'sequence', order: 'asc' };

/** A storage that has these rows, and reports this total. */
function counting(ids: readonly string[], total: number): Storage {
  const rows = ids.map((id, sequence) => ({ id, sequence }));
  return { ...createMemoryStorage(), list: async () => ({ rows, total }) as never };
}

const cursorOf = async (storage: Storage) =>
  (await listPage({ storage, cursors }, { collection: 'auditEntries', page }, context)).nextCursor;

describe('a page of a list', () => {
  it('links to the next one if the total only says that there are many', async () => {
    expect(await cursorOf(counting(['a', 'b'], 10_000))).toBeDefined();
    expect(await cursorOf(counting(['a'], 10_000))).toBeUndefined();
  });

  it('is the last one if the total says so', async () => {
    expect(await cursorOf(counting(['a'], 9_999))).toBeUndefined();
  });
});
