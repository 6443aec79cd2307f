import type { TenantId } from '@patchbay/core/plugin';
import { type CapabilityWrite, type Collection, type CommitResult, collections } from '@patchbay/core/storage';
import type { Statement, StatementResult } from './sql.ts';
import { tables } from './tables.ts';
import type { EncodedWrite, WriteStatements } from './write-statements.ts';

/** Yields the statements to run, is resumed with the answer to each, and returns a result. */
export type Steps<R> = Generator<Statement, R, StatementResult>;

type Refusal = 'exists' | 'missing' | 'revision';

/** Result of one write. */
type Outcome = Refusal | readonly CountChange[];

/**
 * Apply a list of writes, with a synchronous or asynchronous driver. On a refusal the caller rolls back
 * what ran. Otherwise it runs `countStatements` over the pushed `counts` before the transaction commits.
 */
export function* applyWrites(
  statements: WriteStatements,
  tenant: TenantId,
  writes: readonly EncodedWrite[],
  counts: CountChange[],
): Steps<CommitResult> {
  for (const [index, write] of writes.entries()) {
    const outcome = yield* applyWrite(statements, tenant, write);
    if (typeof outcome === 'string') return { done: false, index, reason: outcome };
    counts.push(...outcome);
  }
  return { done: true };
}

function applyWrite(statements: WriteStatements, tenant: TenantId, write: EncodedWrite): Steps<Outcome> {
  if ('capability' in write) return state(statements, write);
  if ('insert' in write) return insert(statements, tenant, write);
  if ('update' in write) return update(statements, tenant, write);
  if ('delete' in write) return remove(statements, tenant, write);
  return removeWhere(statements, tenant, write);
}

function* state(statements: WriteStatements, write: CapabilityWrite): Steps<Outcome> {
  const { changes, conflict } = yield statements.given(write);
  return conflict || changes === 0 ? 'exists' : [];
}

function* insert(
  statements: WriteStatements,
  tenant: TenantId,
  write: Extract<EncodedWrite, { insert: unknown }>,
): Steps<Outcome> {
  const { changes, conflict } = yield statements.insert(write);
  if (conflict || changes === 0) return 'exists';
  const { insert: collection, parameters } = write;
  const counted = tables[collection].countedPlaces.map((place) => parameters[place]);
  return countChanges(tenant, collection, counted, 1);
}

function* update(
  statements: WriteStatements,
  tenant: TenantId,
  write: Extract<EncodedWrite, { update: unknown }>,
): Steps<Outcome> {
  const { update: collection, id, fields, values, ifRevision } = write;
  const counted = tables[collection].counted;
  const moves = counted.some((field) => fields.includes(field));
  const before = moves ? (yield statements.current(tenant, collection, id)).rows[0] : undefined;
  const { changes, conflict } = yield statements.update(tenant, write);
  if (conflict) return 'exists';
  if (changes === 0) return yield* absence(statements, tenant, collection, id, ifRevision);
  if (before === undefined) return [];
  const old = statements.readCounted(collection, before.slice(1));
  const now = counted.map((field, index) => (fields.includes(field) ? values[fields.indexOf(field)] : old[index]));
  return [...countChanges(tenant, collection, old, -1), ...countChanges(tenant, collection, now, 1)];
}

function* remove(
  statements: WriteStatements,
  tenant: TenantId,
  { delete: collection, id, ifRevision }: Extract<EncodedWrite, { delete: unknown }>,
): Steps<Outcome> {
  const { changes, rows } = yield statements.delete(tenant, collection, id, ifRevision);
  if (changes === 0) return yield* absence(statements, tenant, collection, id, ifRevision);
  return countChanges(tenant, collection, statements.readCounted(collection, rows[0] ?? []), -1);
}

function* removeWhere(
  statements: WriteStatements,
  tenant: TenantId,
  write: Extract<EncodedWrite, { deleteWhere: unknown }>,
): Steps<Outcome> {
  const { changes, rows } = yield statements.deleteWhere(tenant, write);
  const { deleteWhere: collection, fields, values } = write;
  const { counted } = tables[collection];
  // All rows that match have the same values of the counted fields.
  if (counted.every((field) => fields.includes(field))) {
    const known = counted.map((field) => values[fields.indexOf(field)]);
    return countChanges(tenant, collection, known, -changes);
  }
  return rows.flatMap((row) => countChanges(tenant, collection, statements.readCounted(collection, row), -1));
}

/** Why a guarded change matched no row. */
function* absence(
  statements: WriteStatements,
  tenant: TenantId,
  collection: Parameters<WriteStatements['current']>[1],
  id: string,
  ifRevision: number | undefined,
): Steps<Refusal> {
  if (ifRevision === undefined) return 'missing';
  const { rows } = yield statements.current(tenant, collection, id);
  return rows.length === 0 ? 'missing' : 'revision';
}

/** Yields statements to be sent together, is resumed with the answers to them, and returns a result. */
type Rounds<R> = Generator<readonly Statement[], R, readonly StatementResult[]>;

interface Applying {
  readonly index: number;
  readonly steps: Steps<Outcome>;
  step: IteratorResult<Statement, Outcome>;
}

/**
 * Does the same as `applyWrites` in as few round trips to a database as possible: writes that do not depend on each
 * other go together, in one order for all commits, so that two over the same rows do not wait for each other.
 */
export function* applyInRounds(
  statements: WriteStatements,
  tenant: TenantId,
  writes: readonly EncodedWrite[],
  counts: CountChange[],
): Rounds<CommitResult> {
  const places = writes.map(placeOf);
  const groups = areIndependent(writes, places)
    ? [[...writes.keys()].sort((a, b) => compare(places[a], places[b]))]
    : [...writes.keys()].map((index) => [index]);
  for (const group of groups) {
    const applying = group.map((index): Applying => {
      const steps = applyWrite(statements, tenant, writes[index] as EncodedWrite);
      return { index, steps, step: steps.next() };
    });
    yield* finish(applying);
    const outcomes = [...applying].sort((a, b) => a.index - b.index);
    for (const { index, step } of outcomes) {
      const outcome = step.value as Outcome;
      if (typeof outcome === 'string') return { done: false, index, reason: outcome };
      counts.push(...outcome);
    }
  }
  return { done: true };
}

function* finish(applying: readonly Applying[]): Rounds<void> {
  for (;;) {
    const waiting = applying.filter(({ step }) => step.done !== true);
    if (waiting.length === 0) return;
    const results = yield waiting.map(({ step }) => step.value as Statement);
    waiting.forEach((each, at) => {
      each.step = each.steps.next(results[at] as StatementResult);
    });
  }
}

/** The row that a write is about; undefined where that can be many. */
function placeOf(write: EncodedWrite): string | undefined {
  // Sorted after the rows, since `~` follows every letter.
  if ('capability' in write) return `~${write.capability}\n${JSON.stringify(write.content)}`;
  if ('insert' in write) return `${write.insert}\n${write.id}`;
  if ('update' in write) return `${write.update}\n${write.id}`;
  return 'delete' in write ? `${write.delete}\n${write.id}` : undefined;
}

/** Whether the writes have the same result in any order. Rows of a collection with a unique field may conflict. */
function areIndependent(writes: readonly EncodedWrite[], places: readonly (string | undefined)[]): boolean {
  if (places.includes(undefined) || new Set(places).size < places.length) return false;
  const unique = writes.filter((write) => hasUnique(write));
  return unique.length === 0 || writes.length === 1;
}

function hasUnique(write: EncodedWrite): boolean {
  const collection = 'insert' in write ? write.insert : 'update' in write ? write.update : undefined;
  return collection !== undefined && collections[collection].unique.length > 0;
}

function compare(a: string | undefined, b: string | undefined): number {
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/** The change of one counter of rows. An empty field means all rows of the tenant. */
export interface CountChange {
  readonly tenant: TenantId;
  readonly collection: Collection;
  readonly field: string;
  readonly value: string;
  readonly change: number;
}

/** The changes of the counters for `rows` more rows of a collection with these values of its counted fields. */
export function countChanges(
  tenant: TenantId,
  collection: Collection,
  values: readonly unknown[],
  rows: number,
): readonly CountChange[] {
  const changes: CountChange[] = [{ tenant, collection, field: '', value: '', change: rows }];
  tables[collection].counted.forEach((field, index) => {
    const value = String(values[index]);
    // Most rows have no value of such a field, and the counter of these would be written by every commit.
    if (values[index] !== null) changes.push({ tenant, collection, field, value, change: rows });
  });
  return changes;
}

/** Whether a write is one of those that no counter has to follow. */
export function changesNoCount(write: EncodedWrite): boolean {
  if ('capability' in write) return true;
  return 'update' in write && !tables[write.update].counted.some((field) => write.fields.includes(field));
}

/**
 * The statements that bring the counters up to date: the last ones before a transaction commits, so that it holds the
 * lock on a counter as shortly as possible, and in one order, so that two transactions cannot wait for each other.
 */
export function countStatements(statements: WriteStatements, changes: readonly CountChange[]): readonly Statement[] {
  const sums = new Map<string, { -readonly [N in keyof CountChange]: CountChange[N] }>();
  for (const change of changes) {
    const key = `${change.tenant}\n${change.collection}\n${change.field}\n${change.value}`;
    const sum = sums.get(key);
    if (sum) sum.change += change.change;
    else sums.set(key, { ...change });
  }
  return [...sums]
    .filter(([, { change }]) => change !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { tenant, collection, field, value, change }]) => {
      const add = statements.addToCounter(tenant, collection, field, value, change);
      // Values of a counted field come and go; those without rows would pile up.
      const shrinks = field !== '' && change < 0;
      return shrinks ? [add, statements.removeEmptyCounter(tenant, collection, field, value)] : [add];
    });
}
