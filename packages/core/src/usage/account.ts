import type { Clock } from '../contracts/clock.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { Period } from './budget-period.ts';
import { type SpentSoFar, spentSince } from './spent-since.ts';
import { hourOf } from './usage-hours.ts';
import type { UsageLedger } from './usage-ledger.ts';

const HOUR_MS = 3_600_000;

/** How old what other processes have spent may be. */
const REFRESH_MS = 10_000;

export interface AccountParts {
  readonly storage: Storage;
  readonly ledger: Pick<UsageLedger, 'flush' | 'exclusively'>;
  readonly clock: Clock;
}

export interface AccountOwner {
  readonly tenant: TenantId;
  /** Undefined: the tenant itself, with all its keys. */
  readonly keyId: string | undefined;
}

/**
 * What one key or tenant has spent in one period, in billionths of a dollar: what is in the ledger, what is on its way
 * there, and what calls under way may still cost.
 */
export class Account {
  readonly period: Period;
  readonly owner: AccountOwner;
  reserved = 0;
  readonly #parts: AccountParts;
  /** By entry. What was recorded before the account was opened is on disk once it has loaded. */
  readonly #onItsWay = new Map<string, number>();
  #onItsWaySum = 0;
  #stored: SpentSoFar;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(parts: AccountParts, owner: AccountOwner, period: Period) {
    this.#parts = parts;
    this.owner = owner;
    this.period = period;
    this.#stored = { closed: 0, total: 0, openHour: new Date(period.start).toISOString() };
  }

  get spent(): number {
    return this.#stored.total + this.#onItsWaySum;
  }

  /** Nothing of it is known here alone: it can be read again from the storage. */
  get isSettled(): boolean {
    return this.reserved === 0 && this.#onItsWay.size === 0;
  }

  recorded(entryId: string, cost: number): void {
    this.#onItsWay.set(entryId, cost);
    this.#onItsWaySum += cost;
  }

  stored(entryId: string): void {
    const cost = this.#onItsWay.get(entryId);
    if (cost === undefined) return;
    this.#onItsWay.delete(entryId);
    this.#onItsWaySum -= cost;
    this.#stored = { ...this.#stored, total: this.#stored.total + cost };
  }

  /** Know what was spent, before this process and beside it. Waits the first time only. */
  async ready(): Promise<void> {
    const age = this.#parts.clock.monotonic() - this.#loadedAt;
    if (age > REFRESH_MS) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
    }
    if (this.#loadedAt === Number.NEGATIVE_INFINITY) await this.#loading;
    // Later on, what is known is good enough, and a storage that is away is no reason to refuse.
    else this.#loading?.catch(() => undefined);
  }

  async #load(): Promise<void> {
    const { storage, ledger, clock } = this.#parts;
    await ledger.flush();
    await ledger.exclusively(async () => {
      // Entries of the last hour may still be on their way, here or in another process.
      const openHour = hourOf(new Date(Math.max(this.period.start, clock.now() - HOUR_MS)).toISOString());
      this.#stored = await spentSince(storage, this.owner, this.#stored, openHour);
    });
    this.#loadedAt = clock.monotonic();
  }
}
