/** Who has run nothing for so long is not about. */
const ABOUT_MS = 60_000;

interface Presence {
  runs: number;
  seenAt: number;
}

/** Keeps account of how many runs each tenant has under way, and of who was there of late. */
export class Tenants {
  /** The last in the map is the one that came last. */
  readonly #present = new Map<string, Presence>();

  runsOf(tenant: string): number {
    return this.#present.get(tenant)?.runs ?? 0;
  }

  /** Whether a tenant is the only one that has run something of late. */
  isAlone(tenant: string, now = performance.now()): boolean {
    for (const [other, { runs, seenAt }] of this.#present) {
      if (other !== tenant && (runs > 0 || now - seenAt < ABOUT_MS)) return false;
    }
    return true;
  }

  enter(tenant: string, now = performance.now()): void {
    const runs = this.runsOf(tenant) + 1;
    this.#present.delete(tenant);
    this.#present.set(tenant, { runs, seenAt: now });
    for (const [other, presence] of this.#present) {
      if (now - presence.seenAt < ABOUT_MS) return;
      if (presence.runs === 0) this.#present.delete(other);
    }
  }

  leave(tenant: string, now = performance.now()): void {
    const presence = this.#present.get(tenant);
    if (presence === undefined) return;
    presence.runs--;
    presence.seenAt = now;
  }
}
