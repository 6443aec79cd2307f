import { hourOf } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import type { Budget } from '@patchbay/contracts/limits';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { hourPages } from './hour-pages.ts';
import type { UsageLedger } from './usage-ledger.ts';

export interface AccountDependencies {
  readonly storage: Storage;
  readonly ledger: Pick<UsageLedger, 'flush' | 'exclusively'>;
  readonly clock: Clock;
}

export interface AccountOwner {
  readonly tenant: TenantId;
  /** Undefined: the tenant itself, with all its keys. */
  readonly keyId: string | undefined;
}

/** One day or month, in UTC, in epoch milliseconds. */
interface Period {
  readonly start: number;
  /** When the next one starts. */
  readonly end: number;
}

const HOUR_MS = 3_600_000;

/** Idle time after which an account is evicted; it is read again when needed. */
const IDLE_MS = HOUR_MS;

const SWEEP_MS = 60_000;

/** The accounts of this period that are in use: there may be one per user of the host. */
export class Accounts {
  readonly #dependencies: AccountDependencies;
  readonly #known = new Map<string, { readonly account: Account; usedAt: number }>();
  #sweptAt: number;

  constructor(dependencies: AccountDependencies) {
    this.#dependencies = dependencies;
    this.#sweptAt = dependencies.clock.monotonic();
  }

  get size(): number {
    return this.#known.size;
  }

  /** The account of this period; that of the previous one is forgotten. */
  of(owner: AccountOwner, kind: Budget['period']): Account {
    const { clock } = this.#dependencies;
    const period = periodOf(kind, clock.now());
    const name = nameOf(owner);
    const known = this.#known.get(name);
    const usedAt = clock.monotonic();
    if (known && known.account.period.start === period.start && known.account.period.end === period.end) {
      known.usedAt = usedAt;
      return known.account;
    }
    this.#forgetIdle(usedAt);
    const account = new Account(this.#dependencies, owner, period);
    this.#known.set(name, { account, usedAt });
    return account;
  }

  /** The account if it is known, whatever its period. */
  find(owner: AccountOwner): Account | undefined {
    return this.#known.get(nameOf(owner))?.account;
  }

  #forgetIdle(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [name, { account, usedAt }] of this.#known) {
      if (account.isSettled && now - usedAt >= IDLE_MS) this.#known.delete(name);
    }
  }
}

/** Tenants have no space in their name. */
function nameOf({ tenant, keyId }: AccountOwner): string {
  return keyId === undefined ? tenant : `${tenant} ${keyId}`;
}

/** The day or month that a moment is in. */
export function periodOf(kind: Budget['period'], now: number): Period {
  const date = new Date(now);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  if (kind === 'month') return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  const day = date.getUTCDate();
  return { start: Date.UTC(year, month, day), end: Date.UTC(year, month, day + 1) };
}

/** How outdated the spending of other processes may be. */
const REFRESH_MS = 10_000;

/** The spending of one key or tenant in one period, in billionths of a dollar. */
export class Account {
  readonly period: Period;
  /** The most that calls in progress may still cost. */
  reserved = 0;
  readonly #dependencies: AccountDependencies;
  readonly #owner: AccountOwner;
  /** Recorded but not yet on disk, by entry. */
  readonly #pending = new Map<string, number>();
  #pendingSum = 0;
  /** On disk. Hours before `openHour` do not change any more, so `closed` is not read again. */
  #stored: { readonly closed: number; readonly total: number; readonly openHour: string };
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(dependencies: AccountDependencies, owner: AccountOwner, period: Period) {
    this.#dependencies = dependencies;
    this.#owner = owner;
    this.period = period;
    this.#stored = { closed: 0, total: 0, openHour: new Date(period.start).toISOString() };
  }

  get spent(): number {
    return this.#stored.total + this.#pendingSum;
  }

  /** Whether it can be read again from the storage without loss. */
  get isSettled(): boolean {
    return this.reserved === 0 && this.#pending.size === 0;
  }

  /** @param entryId Of an entry that may have other costs as well. */
  recorded(entryId: string, cost: number): void {
    this.#pending.set(entryId, (this.#pending.get(entryId) ?? 0) + cost);
    this.#pendingSum += cost;
  }

  stored(entryId: string): void {
    const cost = this.#pending.get(entryId);
    if (cost === undefined) return;
    this.#pending.delete(entryId);
    this.#pendingSum -= cost;
    this.#stored = { ...this.#stored, total: this.#stored.total + cost };
  }

  /** Load what was spent before this process and in others. A promise only the first time. */
  ready(): Promise<void> | undefined {
    const age = this.#dependencies.clock.monotonic() - this.#loadedAt;
    if (age > REFRESH_MS) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
    }
    if (this.#loadedAt === Number.NEGATIVE_INFINITY) return this.#loading;
    // Later on, the known figures are good enough, and an unavailable storage is no reason to refuse.
    this.#loading?.catch(() => undefined);
    return undefined;
  }

  async #load(): Promise<void> {
    const { storage, ledger, clock } = this.#dependencies;
    const { tenant, keyId } = this.#owner;
    await ledger.flush();
    await ledger.exclusively(async () => {
      // Entries of the last hour may not be on disk yet, here or in another process.
      const openHour = hourOf(new Date(Math.max(this.period.start, clock.now() - HOUR_MS)).toISOString());
      let { closed } = this.#stored;
      let open = 0;
      const where = keyId === undefined ? {} : { keyId };
      for await (const { hour, costNanoUsd } of hourPages(
        storage,
        'usageHours',
        tenant,
        where,
        this.#stored.openHour,
      )) {
        if (hour < openHour) closed += costNanoUsd;
        else open += costNanoUsd;
      }
      this.#stored = { closed, total: closed + open, openHour };
    });
    this.#loadedAt = clock.monotonic();
  }
}
