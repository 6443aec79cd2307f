import type { Budget } from '../contracts/limits.ts';
import { Account, type AccountOwner, type AccountParts } from './account.ts';
import { periodOf } from './budget-period.ts';

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
