import { tenantId } from '@patchbay/core/plugin';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { functionRow } from './test-support/function-row.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

const acme = tenantId('acme');
let subject: Awaited<ReturnType<typeof temporaryStorage>>;

beforeEach(async () => {
  subject = await temporaryStorage({ maxMegabytes: 1 });
});

afterEach(async () => {
  await subject.dispose();
});

const insert = (id: string, size = 50_000) =>
  subject.storage.commit(acme, [{ insert: 'functions', row: functionRow(id, { code: 'x'.repeat(size) }) }]);

/** Commit until one is refused: the ids that were acknowledged, and what the refused commit rejected with. */
async function fill(size?: number): Promise<{ readonly ids: readonly string[]; readonly reason: unknown }> {
  const ids: string[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    const id = `f${size ?? ''}_${index}`;
    const [settled] = await Promise.allSettled([insert(id, size)]);
    if (settled?.status === 'rejected') return { ids, reason: settled.reason };
    ids.push(id);
  }
  throw new Error('the database is never full');
}

async function stored(): Promise<readonly string[]> {
  const query = { sort: 'createdAt', order: 'asc', limit: 100, select: ['id'] } as const;
  const { rows, total } = await subject.storage.list(acme, 'functions', query);
  expect(total).toBe(rows.length);
  return rows.map(({ id }) => id);
}

describe('a full disk', () => {
  it('refuses commits, keeps what was acknowledged, and goes on once there is space', async () => {
    const { ids, reason } = await fill();
    expect(reason).toMatchObject({
      code: 'storage_unavailable',
      retryable: true,
      message: 'the storage could not do this right now',
      cause: { code: 'SQLITE_FULL' },
    });
    expect(ids.length).toBeGreaterThan(5);
    expect(new Set(await stored())).toEqual(new Set(ids));
    expect((await subject.storage.get(acme, 'functions', 'f_0'))?.code).toHaveLength(50_000);

    // Pages of indexes may be needed beside those of the row: one that goes leaves no room for another by itself.
    const leaving = ['f_0', 'f_1'].map((id) => ({ delete: 'functions', id }) as const);
    expect(await subject.storage.commit(acme, leaving)).toEqual({ done: true });
    expect(await insert('again')).toEqual({ done: true });
    expect(await stored()).toHaveLength(ids.length - 1);
    expect(await subject.storage.health()).toEqual({ status: 'pass' });
  });

  it('fails small commits only within the group of the large one', async () => {
    const before = (await fill()).ids;
    const settled = await Promise.allSettled([insert('small', 10), insert('big'), insert('tiny', 10)]);
    const acknowledged = ['small', 'big', 'tiny'].filter((_, index) => settled[index]?.status === 'fulfilled');
    expect(acknowledged).not.toContain('big');
    expect(new Set(await stored())).toEqual(new Set([...before, ...acknowledged]));
  });

  it('shows in the health until something can be written again', async () => {
    await fill();
    // Use up what a big row could not.
    await fill(1_000);
    expect(await subject.storage.health()).toEqual({
      status: 'fail',
      detail: 'no space is left for the database (SQLITE_FULL)',
    });
    await subject.storage.commit(acme, [{ delete: 'functions', id: 'f_0' }]);
    expect(await subject.storage.health()).toEqual({ status: 'pass' });
  });
});
