interface Use {
  readonly ms: number;
  readonly at: number;
}

/** What was used counts half as much after this time. */
const HALF_LIFE_MS = 5000;
/** Who has run nothing for so long does not share. */
const ACTIVE_MS = 10_000;
const TOLERANCE = 1.2;

/** Keeps account of how long tenants had processes of late, to tell who took more than a fair share. */
export class FairShare {
  readonly #uses = new Map<string, Use>();

  /** @param ms Milliseconds that a tenant had a process, of those that can be had only one after the other. */
  add(tenant: string, ms: number, now = performance.now()): void {
    const next = { ms: decayed(this.#uses.get(tenant), now) + ms, at: now };
    // The last in the map is the one that was there last.
    this.#uses.delete(tenant);
    this.#uses.set(tenant, next);
    for (const [other, { at }] of this.#uses) {
      if (now - at < ACTIVE_MS) return;
      this.#uses.delete(other);
    }
  }

  /** Others were there of late, and this one took more than all did on average. */
  isExceeded(tenant: string, now = performance.now()): boolean {
    const active = [...this.#uses.values()].filter(({ at }) => now - at < ACTIVE_MS);
    if (active.length < 2) return false;
    const average = active.reduce((sum, use) => sum + decayed(use, now), 0) / active.length;
    return decayed(this.#uses.get(tenant), now) > average * TOLERANCE;
  }
}

const decayed = (use: Use | undefined, now: number): number =>
  use === undefined ? 0 : use.ms * 0.5 ** ((now - use.at) / HALF_LIFE_MS);
