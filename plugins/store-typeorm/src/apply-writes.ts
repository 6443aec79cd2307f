import type { TenantId } from '@patchbay/core/plugin';
import type { CapabilityWrite, CommitResult, Write } from '@patchbay/core/storage';
import { type CountChange, countChanges, countedValues, tellsCounted } from './counts.ts';
import type { Statement, StatementResult } from './statement.ts';
import { tables } from './tables.ts';
import type { WriteStatements } from './write-statements.ts';

/** Yields the statements to run, is resumed with the answer to each, and returns a result. */
export type Steps<R> = Generator<Statement, R, StatementResult>;

type Refusal = 'exists' | 'missing' | 'revision';

/** What one write came to. */
export type Outcome = Refusal | readonly CountChange[];

/**
 * Apply a list of writes, without knowing whether the driver answers at once or later. On a refusal the caller undoes
 * what ran. Otherwise it runs `countStatements` over the pushed `counts` before the transaction commits.
 */
export function* applyWrites(
  statements: WriteStatements,
  tenant: TenantId,
  writes: readonly Write[],
  counts: CountChange[],
): Steps<CommitResult> {
  checkLength(writes);
  for (const [index, write] of writes.entries()) {
    const outcome = yield* applyWrite(statements, tenant, write);
    if (typeof outcome === 'string') return { done: false, index, reason: outcome };
    counts.push(...outcome);
  }
  return { done: true };
}

export function checkLength(writes: readonly Write[]): void {
  if (writes.length < 1 || writes.length > 1_000) throw new RangeError('a commit has 1 to 1,000 writes');
}

export function applyWrite(statements: WriteStatements, tenant: TenantId, write: Write): Steps<Outcome> {
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
  { insert: collection, row }: Extract<Write, { insert: unknown }>,
): Steps<Outcome> {
  const { changes, conflict } = yield statements.insert(tenant, collection, row);
  if (conflict || changes === 0) return 'exists';
  return countChanges(tenant, collection, countedValues(collection, row), 1);
}

function* update(
  statements: WriteStatements,
  tenant: TenantId,
  { update: collection, id, set, ifRevision }: Extract<Write, { update: unknown }>,
): Steps<Outcome> {
  const counted = tables[collection].counted;
  const moves = counted.some((field) => Object.hasOwn(set, field));
  const before = moves ? (yield statements.current(tenant, collection, id)).rows[0] : undefined;
  const { changes, conflict } = yield statements.update(tenant, collection, id, set, ifRevision);
  if (conflict) return 'exists';
  if (changes === 0) return yield* absence(statements, tenant, collection, id, ifRevision);
  if (before === undefined) return [];
  const old = statements.readCounted(collection, before.slice(1));
  const now = counted.map((field, index) => (Object.hasOwn(set, field) ? Reflect.get(set, field) : old[index]));
  return [...countChanges(tenant, collection, old, -1), ...countChanges(tenant, collection, now, 1)];
}

function* remove(
  statements: WriteStatements,
  tenant: TenantId,
  { delete: collection, id, ifRevision }: Extract<Write, { delete: unknown }>,
): Steps<Outcome> {
  const { changes, rows } = yield statements.delete(tenant, collection, id, ifRevision);
  if (changes === 0) return yield* absence(statements, tenant, collection, id, ifRevision);
  return countChanges(tenant, collection, statements.readCounted(collection, rows[0] ?? []), -1);
}

function* removeWhere(
  statements: WriteStatements,
  tenant: TenantId,
  { deleteWhere: collection, where }: Extract<Write, { deleteWhere: unknown }>,
): Steps<Outcome> {
  const { changes, rows } = yield statements.deleteWhere(tenant, collection, where);
  if (tellsCounted(collection, where)) {
    return countChanges(tenant, collection, countedValues(collection, where), -changes);
  }
  return rows.flatMap((values) => countChanges(tenant, collection, statements.readCounted(collection, values), -1));
}

/** Why a guarded change met no row. */
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
