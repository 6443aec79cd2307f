import { timestamp } from '@patchbay/contracts/base/clock';
import { idOfContent } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { TaskRecordRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { addCounts, keyOf, type ModelCounts } from './task-memory.ts';

interface TaskOfRows {
  readonly tenant: TenantId;
  readonly task: string;
}

/** Rows of one task that are read: the most recently changed ones. */
const MOST_ROWS = 100;

/** Add counts to the rows of a task, and return its rows afterwards. Undefined: another process was faster. */
export async function addToRows(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  of: TaskOfRows,
  added: readonly ModelCounts[],
): Promise<readonly TaskRecordRow[] | undefined> {
  const query = { where: { task: of.task }, sort: 'updatedAt', order: 'desc', limit: MOST_ROWS } as const;
  const { rows } = await storage.list(of.tenant, 'taskRecords', query);
  if (added.length === 0) return rows;
  const changed = await Promise.all(
    added.map(async (counts): Promise<TaskRecordRow> => {
      const key = keyOf(counts);
      const read = rows.find((row) => keyOf(row) === key);
      const id = read?.id ?? rowId(of, counts);
      const stored = read ?? (await storage.get(of.tenant, 'taskRecords', id));
      const { task } = of;
      return { id, revision: 0, ...stored, ...addCounts(stored, counts), task, updatedAt: timestamp(clock) };
    }),
  );
  const { done } = await storage.commit(of.tenant, changed.map(writeOf));
  if (!done) return undefined;
  const ids = new Set(changed.map(({ id }) => id));
  return [...changed, ...rows.filter(({ id }) => !ids.has(id))];
}

/** One row for each model and version of the settings, whichever process writes it first. */
function rowId({ tenant, task }: TaskOfRows, { settingsVersion, model }: ModelCounts): string {
  return idOfContent('task_record', JSON.stringify([tenant, task, settingsVersion, model]));
}

/** @param row With the revision that it was read with. 0: it is new. */
function writeOf({ id, revision, ...set }: TaskRecordRow): Write {
  if (revision === 0) return { insert: 'taskRecords', row: { id, revision: 1, ...set } };
  return { update: 'taskRecords', id, set, ifRevision: revision };
}
