import { setImmediate } from 'node:timers/promises';
import { jsonLimits } from '@patchbay/contracts/base/check-json';
import { parseJson } from '@patchbay/contracts/base/json-text';
import { PatchbayError } from '@patchbay/contracts/errors';
import { type Collection, collections } from '@patchbay/contracts/rows';
import type { CommitResult, Storage, Write } from '@patchbay/contracts/storage';
import { isTenantId } from '@patchbay/contracts/tenant';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import { type DumpedRow, dumpHead } from './dump.ts';

export interface RestoreReport {
  readonly restored: number;
  /** Rows whose id, or whose unique field, is taken. */
  readonly present: number;
}

/** The most that is written in one commit, which is one turn of the event loop. */
const BATCH = { rows: 200, characters: 1_048_576 } as const;

/** Levels of a line: a row has its documents two levels down. */
const LINE_DEPTH = jsonLimits.depth + 2;

/**
 * Read a dump, in batches of rows of one tenant.
 *
 * @param wanted What it may contain: a dump of functions must not bring keys.
 * @param rootSecrets The marks of the known root secrets. Without them, or for a dump without a mark, any is accepted.
 * @throws PatchbayError `invalid_request` with the number of the faulty line.
 */
export async function* readDump(
  lines: AsyncIterable<string> | Iterable<string>,
  wanted: readonly Collection[],
  rootSecrets?: readonly string[],
): AsyncGenerator<readonly DumpedRow[]> {
  let number = 0;
  let batch: DumpedRow[] = [];
  let characters = 0;
  for await (const line of lines) {
    number += 1;
    const value = fieldsOf(await parse(line));
    if (number === 1) checkHead(value, rootSecrets);
    else if (line !== '') {
      const row = checked(value, number, wanted);
      characters += line.length;
      const isFull = batch.length === BATCH.rows || characters > BATCH.characters;
      if (batch.length > 0 && (isFull || batch[0]?.tenant !== row.tenant)) {
        yield batch;
        batch = [];
        characters = line.length;
        await setImmediate();
      }
      batch.push(row);
    }
  }
  if (number === 0) throw refusal(1, 'this is no dump of Patchbay');
  if (batch.length > 0) yield batch;
}

/**
 * Put the rows of a dump into a storage.
 *
 * @param present What to do with a row that already exists. `refuse` stops at the first: batches before it are
 *   restored.
 * @throws PatchbayError `conflict` if a row exists and `present` is `refuse`.
 */
export async function restoreDump(
  storage: Pick<Storage, 'commit'>,
  batches: AsyncIterable<readonly DumpedRow[]>,
  present: 'refuse' | 'skip',
): Promise<RestoreReport> {
  let restored = 0;
  let skipped = 0;
  for await (let batch of batches) {
    for (let first = batch[0]; first !== undefined; first = batch[0]) {
      const result: CommitResult = await storage.commit(first.tenant, writesOf(batch));
      if (result.done) {
        restored += batch.length;
        break;
      }
      const taken = batch[result.index];
      if (present === 'refuse') {
        throw new PatchbayError('conflict', `${taken?.collection} ${taken?.row.id} already exists`);
      }
      skipped += 1;
      batch = batch.toSpliced(result.index, 1);
    }
  }
  return { restored, present: skipped };
}

function writesOf(batch: readonly DumpedRow[]): readonly Write[] {
  const inserts = batch.map(({ collection, row }) => ({ insert: collection, row }) as Write);
  // The daily totals lack these hours, and are recomputed.
  const hasHours = batch.some(({ collection }) => collection === 'usageHours');
  return hasHours ? [...inserts, { deleteWhere: 'usageDays', where: {} }] : inserts;
}

function checkHead(
  head: Readonly<Record<string, unknown>> | undefined,
  rootSecrets: readonly string[] | undefined,
): void {
  if (head?.['patchbay'] !== dumpHead.patchbay) throw refusal(1, 'this is no dump of Patchbay');
  if (head['version'] !== dumpHead.version) throw refusal(1, 'this dump was made by a newer version');
  const { rootSecret } = head;
  if (typeof rootSecret === 'string' && rootSecrets?.includes(rootSecret) === false) {
    throw refusal(
      1,
      'this backup was made under another root secret, without which its keys, its audit log and its sealed secrets ' +
        'cannot be used: put that one in place first',
    );
  }
}

function checked(
  value: Readonly<Record<string, unknown>> | undefined,
  number: number,
  wanted: readonly Collection[],
): DumpedRow {
  const { collection, tenant } = value ?? {};
  const row = fieldsOf(value?.['row']);
  if (typeof collection !== 'string' || !Object.hasOwn(collections, collection)) {
    throw refusal(number, 'names no collection that is known here');
  }
  if (!(wanted as readonly string[]).includes(collection)) throw refusal(number, `${collection} are not restored here`);
  if (typeof tenant !== 'string' || !isTenantId(tenant)) throw refusal(number, 'names no tenant');
  const { fields } = collections[collection as keyof typeof collections];
  const strange = row === undefined ? 'row' : Object.keys(row).find((name) => !Object.hasOwn(fields, name));
  if (strange !== undefined) throw refusal(number, `has no ${collection} in its row: ${strange}`);
  const complete = { ...newFields[collection], ...row };
  const missing = Object.keys(fields).find((name) => complete[name] === undefined);
  if (missing !== undefined) throw refusal(number, `lacks ${missing} of ${collection}`);
  return { collection, tenant, row: complete } as unknown as DumpedRow;
}

/** The fields that dumps of older versions lack, as in rows of that time. */
const newFields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  functions: { bundleId: null, packages: null },
  functionVersions: { bundleId: null, packages: null },
  executions: {
    calls: null,
    trial: null,
    policy: null,
    scheduleId: null,
    scheduledFor: null,
    after: null,
    deadLetter: null,
  },
  apiKeys: { functions: null },
  functionSettings: { experiment: null },
  callRecords: { errorCode: null, parentId: null, queuedMs: null, firstOutputMs: null, steps: null },
  usageEntries: { calls: null },
};

async function parse(line: string): Promise<unknown> {
  try {
    return await parseJson(line, LINE_DEPTH);
  } catch {
    return undefined;
  }
}

function refusal(line: number, what: string): PatchbayError {
  return new PatchbayError('invalid_request', `line ${line}: ${what}`);
}
