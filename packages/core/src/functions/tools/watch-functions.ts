import type { Clock } from '../../contracts/clock.ts';
import type { Principal } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { Storage } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import { lostItsKey } from '../lost-its-key.ts';

/** How often changes are looked for: listeners hear of them within a second, from every server on the storage. */
const LOOK_MS = 400;

/** More of them would be forgotten connections. */
const MAX_LISTENERS = 1_000;

/** More changes at once are not looked at one by one. */
const MAX_ENTRIES = 50;

/** Calls back after a function of a caller's tenant, or its settings, were changed. @returns Ends it. */
export type WatchFunctions = (caller: Principal, callbacks: WatchCallbacks) => () => void;

export interface WatchCallbacks {
  readonly onChange: () => void;
  /** The caller's key was revoked: it must hear of no further change. */
  readonly onRevoked: () => void;
}

interface Listener extends WatchCallbacks {
  readonly caller: Principal;
}

/** What a part of the audit log is about. */
interface Changed {
  readonly functions: boolean;
  readonly keys: boolean;
}

interface Watch {
  readonly listeners: Set<Listener>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Watches functions by the audit log, which every change of them, and of keys, extends in the same commit.
 *
 * @throws PatchbayError `concurrency_limited`, of the watch that is one too many.
 */
export function createWatchFunctions(parts: {
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now'>;
}): WatchFunctions {
  const { storage } = parts;
  const watches = new Map<TenantId, Watch>();

  const sequenceOf = async (tenant: TenantId): Promise<number> =>
    (await storage.get(tenant, 'auditHeads', tenant))?.sequence ?? 0;

  /** What the newest entries are about. */
  const changedSince = async (tenant: TenantId, before: number | undefined, now: number): Promise<Changed> => {
    if (before === undefined || now - before > MAX_ENTRIES) return { functions: true, keys: true };
    const query = { sort: 'sequence', order: 'desc', limit: now - before } as const;
    const { rows } = await storage.list(tenant, 'auditEntries', query);
    const has = (type: string) => rows.some(({ resourceType }) => resourceType === type);
    return { functions: has('function'), keys: has('key') };
  };

  const dismissRevoked = async (listeners: ReadonlySet<Listener>): Promise<void> => {
    for (const { caller, onRevoked } of listeners) if (await lostItsKey(parts, caller)) onRevoked();
  };

  const begin = (tenant: TenantId): Watch => {
    const listeners = new Set<Listener>();
    // Undefined until the first look, which must be later than the list that the listener knows.
    let seen = sequenceOf(tenant).catch(() => undefined);
    let isLooking = false;
    const look = async (): Promise<void> => {
      const [before, now] = await Promise.all([seen, sequenceOf(tenant)]);
      if (now === before) return;
      const changed = await changedSince(tenant, before, now);
      if (changed.keys) await dismissRevoked(listeners);
      seen = Promise.resolve(now);
      if (changed.functions) for (const { onChange } of listeners) onChange();
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

  return (caller, callbacks) => {
    const { tenant } = caller;
    const watch = watches.get(tenant) ?? begin(tenant);
    watches.set(tenant, watch);
    if (watch.listeners.size >= MAX_LISTENERS) {
      throw new PatchbayError('concurrency_limited', 'too many clients listen for changes', { retryAfter: 5 });
    }
    // A separate one, so that one function can listen twice.
    const listener = { caller, ...callbacks };
    watch.listeners.add(listener);
    return () => {
      watch.listeners.delete(listener);
      if (watch.listeners.size > 0 || watches.get(tenant) !== watch) return;
      clearInterval(watch.timer);
      watches.delete(tenant);
    };
  };
}
