import { setImmediate } from 'node:timers/promises';
import { jsonLimits } from '@patchbay/contracts/base/check-json';
import { parseJson } from '@patchbay/contracts/base/json-text';
import { PatchbayError } from '@patchbay/contracts/errors';
import { type Collection, collections } from '@patchbay/contracts/rows';
import type { CommitResult, Storage, Write } from '@patchbay/contracts/storage';
import { isTenantId } from '@patchbay/contracts/tenant';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import { type DumpedRow, dumpEnd, dumpHead } from './dump.ts';

export interface RestoreReport {
  readonly restored: number;
  /** Rows whose id, or whose unique field, is taken. */
  readonly present: number;
}

/** The most that is written in one commit, which is one turn of the event loop. */
const BATCH = { rows: 200, characters: 1_048_576 } as const;

/** A dump up to this length is held back until its end was seen. Larger ones are stored while they are read. */
const HELD_CHARACTERS = 8 * 1_048_576;

/** Dumps of this version have no last line that ends them. */
const ENDLESS_VERSION = 1;

/** Levels of a line: a row has its documents two levels down. */
const LINE_DEPTH = jsonLimits.depth + 2;

/**
 * Read a dump, in batches of rows of one tenant. One that is not longer than what is held back is read to its end first, so
 * that none of its rows is stored if it is faulty.
 *
 * @param wanted What it may contain: a dump of functions must not bring keys.
 * @param rootSecrets The marks of the known root secrets. Without them, or for a dump without a mark, any is accepted.
 * @throws PatchbayError `invalid_request` with the number of the faulty line, or of the last one if the end is missing.
 */
export async function* readDump(
  lines: AsyncIterable<string> | Iterable<string>,
  wanted: readonly Collection[],
  rootSecrets?: readonly string[],
): AsyncGenerator<readonly DumpedRow[]> {
  const held: (readonly DumpedRow[])[] = [];
  let batch: DumpedRow[] = [];
  let characters = 0;
  let total = 0;
  for await (const { row, length } of readRows(lines, wanted, rootSecrets)) {
    characters += length;
    total += length;
    const isFull = batch.length === BATCH.rows || characters > BATCH.characters;
    if (batch.length > 0 && (isFull || batch[0]?.tenant !== row.tenant)) {
      held.push(batch);
      batch = [];
      characters = length;
      await setImmediate();
      if (total > HELD_CHARACTERS) yield* inTurns(held.splice(0));
    }
    batch.push(row);
  }
  if (batch.length > 0) held.push(batch);
  yield* inTurns(held);
}

async function* inTurns<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) {
    yield value;
    await setImmediate();
  }
}

/** The rows of a dump, with the lengths of their lines. */
async function* readRows(
  lines: AsyncIterable<string> | Iterable<string>,
  wanted: readonly Collection[],
  rootSecrets: readonly string[] | undefined,
): AsyncGenerator<{ readonly row: DumpedRow; readonly length: number }> {
  let number = 0;
  let last = 1;
  let rows = 0;
  let state: 'empty' | 'open' | 'endless' | 'ended' = 'empty';
  for await (const line of lines) {
    number += 1;
    if (state === 'empty') {
      state = checkHead(fieldsOf(await parse(line)), rootSecrets) === ENDLESS_VERSION ? 'endless' : 'open';
      continue;
    }
    if (line.trim() === '') continue;
    last = number;
    if (state === 'ended') throw refusal(number, 'comes after the end of the dump');
    const parsed = await parse(line);
    if (parsed === undefined) throw refusal(number, 'is not JSON: the dump is damaged, or was cut off here');
    const value = fieldsOf(parsed);
    if (state === 'open' && value?.['patchbay'] === dumpEnd(rows).patchbay) {
      checkEnd(value, number, rows);
      state = 'ended';
      continue;
    }
    yield { row: checked(value, number, wanted), length: line.length };
    rows += 1;
  }
  if (state === 'empty') throw refusal(1, 'this is no dump of Patchbay');
  if (state === 'open')
    throw refusal(last, 'the dump stops here, without its end: it was cut off, and is not complete');
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
  for await (let batch of sayingHowMany(batches, () => restored)) {
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

/** The batches, with the number of stored rows in the message of a fault that is found after them. */
async function* sayingHowMany<T>(batches: AsyncIterable<T>, stored: () => number): AsyncGenerator<T> {
  try {
    yield* batches;
  } catch (cause) {
    if (stored() === 0 || !PatchbayError.is(cause)) throw cause;
    throw new PatchbayError(cause.code, `${cause.message}; rows that are stored already: ${stored()}`, { cause });
  }
}

function writesOf(batch: readonly DumpedRow[]): readonly Write[] {
  const inserts = batch.map(({ collection, row }) => ({ insert: collection, row }) as Write);
  // The daily totals lack these hours, and are recomputed.
  const hasHours = batch.some(({ collection }) => collection === 'usageHours');
  return hasHours ? [...inserts, { deleteWhere: 'usageDays', where: {} }] : inserts;
}

/** @returns The version of the format. */
function checkHead(
  head: Readonly<Record<string, unknown>> | undefined,
  rootSecrets: readonly string[] | undefined,
): number {
  if (head?.['patchbay'] !== dumpHead.patchbay) throw refusal(1, 'this is no dump of Patchbay');
  const { version, rootSecret } = head;
  if (version !== dumpHead.version && version !== ENDLESS_VERSION) {
    throw refusal(1, 'this dump was made by a newer version');
  }
  if (typeof rootSecret === 'string' && rootSecrets?.includes(rootSecret) === false) {
    throw refusal(
      1,
      'this backup was made under another root secret, without which its keys, its audit log and its sealed secrets ' +
        'cannot be used: put that one in place first',
    );
  }
  return version;
}

function checkEnd({ rows: written }: Readonly<Record<string, unknown>>, number: number, found: number): void {
  if (written === found) return;
  throw refusal(number, `the dump was written with ${JSON.stringify(written)} rows, and has ${found}: it is damaged`);
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
