import { PatchbayError } from '../contracts/errors.ts';
import type { CommitResult, Storage, Write } from '../contracts/storage.ts';
import type { DumpedRow } from './dump-storage.ts';

export interface RestoreReport {
  readonly restored: number;
  /** Rows whose id, or whose unique field, is taken. */
  readonly present: number;
}

const BATCH = 200;

/**
 * Put the rows of a dump into a storage.
 *
 * @param present What to do with a row that is there already. `refuse` stops at the first: rows before it are restored.
 * @throws PatchbayError `conflict` where a row is there and `present` is `refuse`.
 */
export async function restoreDump(
  storage: Pick<Storage, 'commit'>,
  rows: AsyncIterable<DumpedRow> | Iterable<DumpedRow>,
  present: 'refuse' | 'skip',
): Promise<RestoreReport> {
  let restored = 0;
  let skipped = 0;
  let batch: DumpedRow[] = [];

  const flush = async () => {
    for (let first = batch[0]; first !== undefined; first = batch[0]) {
      const result: CommitResult = await storage.commit(first.tenant, batch.map(insertOf));
      if (result.done) {
        restored += batch.length;
        break;
      }
      const taken = batch[result.index];
      if (present === 'refuse') {
        throw new PatchbayError('conflict', `${taken?.collection} ${taken?.row.id} is there already`);
      }
      skipped += 1;
      batch = batch.toSpliced(result.index, 1);
    }
    batch = [];
  };

  for await (const row of rows) {
    // A commit is one tenant's.
    if (batch.length === BATCH || batch.at(-1)?.tenant !== row.tenant) await flush();
    batch.push(row);
  }
  await flush();
  return { restored, present: skipped };
}

function insertOf({ collection, row }: DumpedRow): Write {
  return { insert: collection, row } as Write;
}
