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

  /** @returns the id of the entry that it is part of. */
  addUsage(usage: NewUsage): string {
    const { createdAt, kind, keyId, functionId, model, outcome, estimated, costNanoUsd } = usage;
    const isPriced = costNanoUsd !== null;
    // No id and no name contains a line break.
    const key = `${hourOf(createdAt)}\n${kind}\n${keyId}\n${functionId}\n${model}\n${outcome}\n${estimated}\n${isPriced}`;
    const same = this.#entries.get(key);
    if (same) {
      addAmounts(same, usage);
      same.calls = (same.calls ?? 1) + 1;
      if (costNanoUsd !== null) same.costNanoUsd = (same.costNanoUsd ?? 0) + costNanoUsd;
      return same.id;
    }
    const entry = { ...usage, id: newId('usage'), revision: 1, calls: 1 };
    this.#entries.set(key, entry);
    this.rows.push({ collection: 'usageEntries', row: entry });
    return entry.id;
  }

  addCall(row: CallRecordRow): void {
    this.rows.push({ collection: 'callRecords', row });
  }
}
