import type { TenantId } from '@patchbay/core/plugin';
import { type CommitResult, collections, type Write } from '@patchbay/core/storage';
import { applyWrite, checkLength, type Outcome, type Steps } from './apply-writes.ts';
import type { CountChange } from './counts.ts';
import type { Statement, StatementResult } from './statement.ts';
import type { WriteStatements } from './write-statements.ts';

/** Yields statements to be sent together, is resumed with the answers to them, and returns a result. */
export type Rounds<R> = Generator<readonly Statement[], R, readonly StatementResult[]>;

interface Applying {
  readonly index: number;
  readonly steps: Steps<Outcome>;
  step: IteratorResult<Statement, Outcome>;
}

/**
 * What `applyWrites` does, in as few rounds to a distant database as can be: writes that have nothing to do with each
 * other go together, in one order for everybody, so that two commits over the same rows do not wait for each other.
 */
export function* applyInRounds(
  statements: WriteStatements,
  tenant: TenantId,
  writes: readonly Write[],
  counts: CountChange[],
): Rounds<CommitResult> {
  checkLength(writes);
  const places = writes.map(placeOf);
  const groups = areIndependent(writes, places)
    ? [[...writes.keys()].sort((a, b) => compare(places[a], places[b]))]
    : [...writes.keys()].map((index) => [index]);
  for (const group of groups) {
    const applying = group.map((index): Applying => {
      const steps = applyWrite(statements, tenant, writes[index] as Write);
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
function placeOf(write: Write): string | undefined {
  // Sorted after the rows, since `~` follows every letter.
  if ('capability' in write) return `~${write.capability}\n${JSON.stringify(write.content)}`;
  if ('insert' in write) return `${write.insert}\n${write.row.id}`;
  if ('update' in write) return `${write.update}\n${write.id}`;
  return 'delete' in write ? `${write.delete}\n${write.id}` : undefined;
}

/** Whether each write comes to the same in any order. Rows of a collection with a unique field may get in each other's way. */
function areIndependent(writes: readonly Write[], places: readonly (string | undefined)[]): boolean {
  if (places.includes(undefined) || new Set(places).size < places.length) return false;
  const unique = writes.filter((write) => hasUnique(write));
  return unique.length === 0 || writes.length === 1;
}

function hasUnique(write: Write): boolean {
  const collection = 'insert' in write ? write.insert : 'update' in write ? write.update : undefined;
  return collection !== undefined && collections[collection].unique.length > 0;
}

function compare(a: string | undefined, b: string | undefined): number {
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
