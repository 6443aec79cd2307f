import type { Clock } from '../contracts/clock.ts';
import type { Budget } from '../contracts/limits.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { hourOf, hourPages } from './usage-hours.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** An account that nobody used for so long is read again when somebody does. */
const IDLE_MS = 3_600_000;

const SWEEP_MS = 60_000;

interface Known {
  readonly account: Account;
  usedAt: number;
}

/** The accounts of this period that are in use: there may be one for every user of the host. */
export class Accounts {
  readonly #parts: AccountParts;
  readonly #known = new Map<string, Known>();
  #sweptAt: number;

  constructor(parts: AccountParts) {
    this.#parts = parts;
    this.#sweptAt = parts.clock.monotonic();
  }

  get size(): number {
    return this.#known.size;
  }

  /** The account of this period; that of the one before is forgotten. */
  of(owner: AccountOwner, kind: Budget['period']): Account {
    const { clock } = this.#parts;
    const period = periodOf(kind, clock.now());
    const name = nameOf(owner);
    const known = this.#known.get(name);
    const usedAt = clock.monotonic();
    if (known && known.account.period.start === period.start && known.account.period.end === period.end) {
      known.usedAt = usedAt;
      return known.account;
    }
    this.#forgetIdle(usedAt);
    const account = new Account(this.#parts, owner, period);
    this.#known.set(name, { account, usedAt });
    return account;
  }

  /** The account where it is known, of whatever period. */
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

function nameOf({ tenant, keyId }: AccountOwner): string {
  return JSON.stringify([tenant, keyId]);
}

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

/** One day or month, in UTC, in epoch milliseconds. */
export interface Period {
  readonly start: number;
  /** When the next one starts. */
  readonly end: number;
}

/** The day or month that a moment is in. */
export function periodOf(kind: Budget['period'], now: number): Period {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return kind === 'day'
    ? { start: Date.UTC(year, month, day), end: Date.UTC(year, month, day + 1) }
    : { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** Sums of hours that nobody adds to any more need not be read again. */
export interface SpentSoFar {
  /** Billionths of a dollar, of the hours before `openHour`. */
  readonly closed: number;
  /** Of all hours. */
  readonly total: number;
  /** The first hour that may still change. */
  readonly openHour: string;
}

/** What a key, or a tenant without `keyId`, has spent, as far as it is on disk. */
export async function spentSince(
  storage: Storage,
  owner: { readonly tenant: TenantId; readonly keyId: string | undefined },
  before: Omit<SpentSoFar, 'total'>,
  openHour: string,
): Promise<SpentSoFar> {
  let { closed } = before;
  let open = 0;
  const where = owner.keyId === undefined ? {} : { keyId: owner.keyId };
  for await (const { hour, costNanoUsd } of hourPages(storage, owner.tenant, where, before.openHour)) {
    if (hour < openHour) closed += costNanoUsd;
    else open += costNanoUsd;
  }
  return { closed, total: closed + open, openHour };
}
