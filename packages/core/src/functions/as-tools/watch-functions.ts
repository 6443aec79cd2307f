import { reachesFunction } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { AuditEntryRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { hasExpired, lostItsKey } from '../../access/lost-its-key.ts';

/** How often changes are polled: listeners are notified of them within a second, from every server on the storage. */
const LOOK_MS = 400;

/** More of them would be forgotten connections. */
const MAX_LISTENERS = 1_000;

/** More changes at once are not examined one by one. */
const MAX_ENTRIES = 50;

/** Calls back after a function that a caller reaches, or its settings, were changed. @returns Ends it. */
export type WatchFunctions = (caller: Principal, callbacks: WatchCallbacks) => () => void;

export interface WatchCallbacks {
  readonly onChange: () => void;
  /** The caller's credentials were revoked or have expired: it must not be notified of further changes. */
  readonly onUnauthorized: () => void;
}

interface Listener extends WatchCallbacks {
  readonly caller: Principal;
}

interface Watch {
  readonly listeners: Set<Listener>;
  readonly timer: NodeJS.Timeout;
}

/** A part of the audit log. Undefined: too long to be read, it can be about anything. */
type NewEntries = readonly Pick<AuditEntryRow, 'resourceType' | 'resourceId'>[] | undefined;

/**
 * Watches functions through the audit log, which every change of them, and of keys, extends in the same commit.
 *
 * @throws PatchbayError `concurrency_limited`, if there are too many watches.
 */
export function createWatchFunctions(parts: {
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now'>;
}): WatchFunctions {
  const { storage, clock } = parts;
  const watches = new Map<TenantId, Watch>();

  const sequenceOf = async (tenant: TenantId): Promise<number> =>
    (await storage.get(tenant, 'auditHeads', tenant))?.sequence ?? 0;

  const entriesSince = async (tenant: TenantId, before: number | undefined, now: number): Promise<NewEntries> => {
    if (before === undefined || now - before > MAX_ENTRIES) return undefined;
    const query = { sort: 'sequence', order: 'desc', limit: now - before } as const;
    return (await storage.list(tenant, 'auditEntries', query)).rows;
  };

  const dismissExpired = (listeners: ReadonlySet<Listener>): void => {
    for (const { caller, onUnauthorized } of listeners) if (hasExpired(caller, clock)) onUnauthorized();
  };

  const dismissRevoked = async (listeners: ReadonlySet<Listener>): Promise<void> => {
    for (const { caller, onUnauthorized } of listeners) if (await lostItsKey(parts, caller)) onUnauthorized();
  };

  const begin = (tenant: TenantId): Watch => {
    const listeners = new Set<Listener>();
    // Undefined until the first poll, which must be later than the list that the listener has.
    let seen = sequenceOf(tenant).catch(() => undefined);
    let isLooking = false;
    const look = async (): Promise<void> => {
      dismissExpired(listeners);
      const [before, now] = await Promise.all([seen, sequenceOf(tenant)]);
      if (now === before) return;
      const entries = await entriesSince(tenant, before, now);
      if (entries?.some(({ resourceType }) => resourceType === 'key') ?? true) await dismissRevoked(listeners);
      seen = Promise.resolve(now);
      for (const { caller, onChange } of listeners) if (concerns(caller, entries)) onChange();
    };
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      // An unavailable storage is queried again the next time.
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

function concerns(caller: Principal, entries: NewEntries): boolean {
  if (!entries) return true;
  return entries.some(({ resourceType, resourceId }) => {
    // The entry of an import has no ids of its functions.
    if (resourceType === 'functions') return true;
    return resourceType === 'function' && reachesFunction(caller, resourceId);
  });
}
