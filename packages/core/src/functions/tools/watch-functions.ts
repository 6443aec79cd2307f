import { PatchbayError } from '../../contracts/errors.ts';
import type { Storage } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';

/** How often changes are looked for: listeners hear of them within a second, from every server on the storage. */
const LOOK_MS = 400;

/** More of them would be forgotten connections. */
const MAX_LISTENERS = 1_000;

/** More changes at once are not looked at one by one. */
const MAX_ENTRIES = 50;

/** Calls back after a function of a tenant, or its settings, were changed. @returns Ends it. */
export type WatchFunctions = (tenant: TenantId, onChange: () => void) => () => void;

interface Watch {
  readonly listeners: Set<() => void>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Watches functions by the audit log, which every change of them extends in the same commit.
 *
 * @throws PatchbayError `concurrency_limited`, of the watch that is one too many.
 */
export function createWatchFunctions(storage: Storage): WatchFunctions {
  const watches = new Map<TenantId, Watch>();

  const sequenceOf = async (tenant: TenantId): Promise<number> =>
    (await storage.get(tenant, 'auditHeads', tenant))?.sequence ?? 0;

  const concernsFunctions = async (tenant: TenantId, entries: number): Promise<boolean> => {
    if (entries > MAX_ENTRIES) return true;
    const query = { sort: 'sequence', order: 'desc', limit: entries } as const;
    const { rows } = await storage.list(tenant, 'auditEntries', query);
    return rows.some(({ resourceType }) => resourceType === 'function');
  };

  const begin = (tenant: TenantId): Watch => {
    const listeners = new Set<() => void>();
    // Undefined until the first look, which must be later than the list that the listener knows.
    let seen = sequenceOf(tenant).catch(() => undefined);
    let isLooking = false;
    const look = async (): Promise<void> => {
      const [before, now] = await Promise.all([seen, sequenceOf(tenant)]);
      if (now === before) return;
      seen = Promise.resolve(now);
      if (before !== undefined && !(await concernsFunctions(tenant, now - before))) return;
      for (const each of listeners) each();
    };
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      // A storage that is away is asked again the next time.
      void look()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    }, LOOK_MS);
    timer.unref();
    return { listeners, timer };
  };

  return (tenant, onChange) => {
    const watch = watches.get(tenant) ?? begin(tenant);
    watches.set(tenant, watch);
    if (watch.listeners.size >= MAX_LISTENERS) {
      throw new PatchbayError('concurrency_limited', 'too many clients listen for changes', { retryAfter: 5 });
    }
    // A separate one, so that one function can listen twice.
    const listener = (): void => onChange();
    watch.listeners.add(listener);
    return () => {
      watch.listeners.delete(listener);
      if (watch.listeners.size > 0 || watches.get(tenant) !== watch) return;
      clearInterval(watch.timer);
      watches.delete(tenant);
    };
  };
}
