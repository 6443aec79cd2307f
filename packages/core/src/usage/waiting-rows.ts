import { newId } from '@patchbay/contracts/base/type-id';
import type { CallRecordRow, UsageEntryRow } from '@patchbay/contracts/rows';
import { hourOf } from './hours.ts';
import { addAmounts, type LedgerRow } from './usage-hours.ts';

/** The usage of one call. */
export type NewUsage = Omit<UsageEntryRow, 'id' | 'revision' | 'calls'>;

type GrowingEntry = { -readonly [N in keyof UsageEntryRow]: UsageEntryRow[N] };

/**
 * Rows of one tenant for the next commit. Calls with the same dimensions share an entry: a busy server neither keeps
 * nor writes one for each.
 */
export class WaitingRows {
  readonly rows: LedgerRow[] = [];
  readonly #entries = new Map<string, GrowingEntry>();
  /** Most calls share the entry of the call before, and need no key to find it. */
  #last: GrowingEntry | undefined;

  /** @returns the id of the entry that it is part of. */
  addUsage(usage: NewUsage): string {
    const isShared = this.#last !== undefined && haveOneEntry(this.#last, usage);
    let entry = isShared ? this.#last : this.#entries.get(keyOf(usage));
    if (entry) count(entry, usage);
    else {
      entry = { ...usage, id: newId('usage'), revision: 1, calls: 1 };
      this.#entries.set(keyOf(usage), entry);
      this.rows.push({ collection: 'usageEntries', row: entry });
    }
    this.#last = entry;
    return entry.id;
  }

  addCall(row: CallRecordRow): void {
    this.rows.push({ collection: 'callRecords', row });
  }
}

/** The same for those that {@link haveOneEntry}. No id and no name contains a line break. */
function keyOf({ createdAt, kind, keyId, functionId, model, outcome, estimated, costNanoUsd }: NewUsage): string {
  const isPriced = costNanoUsd !== null;
  return `${hourOf(createdAt)}\n${kind}\n${keyId}\n${functionId}\n${model}\n${outcome}\n${estimated}\n${isPriced}`;
}

function haveOneEntry(one: NewUsage, other: NewUsage): boolean {
  return (
    one.keyId === other.keyId &&
    one.model === other.model &&
    one.functionId === other.functionId &&
    one.kind === other.kind &&
    one.outcome === other.outcome &&
    one.estimated === other.estimated &&
    (one.costNanoUsd === null) === (other.costNanoUsd === null) &&
    (one.createdAt === other.createdAt || hourOf(one.createdAt) === hourOf(other.createdAt))
  );
}

function count(entry: GrowingEntry, usage: NewUsage): void {
  addAmounts(entry, usage);
  entry.calls = (entry.calls ?? 1) + 1;
  if (usage.costNanoUsd !== null) entry.costNanoUsd = (entry.costNanoUsd ?? 0) + usage.costNanoUsd;
}
