import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Limits, OperationClass } from '../contracts/limits.ts';
import type { TenantId } from '../contracts/tenant.ts';

/** A place among the requests of a caller that are under way. */
export interface Slot {
  /** Only the first call counts. */
  leave(): void;
}

/**
 * The slot of an execution, for what it calls: an execution that waits for a nested one leaves its slot to it, so that
 * nested executions make progress however many slots are taken. One at a time.
 */
export interface ParentSlot {
  isLent: boolean;
}

/** Limits how much of what takes long a caller has under way. Counted in this process. */
export interface ConcurrencyCaps {
  /** @throws PatchbayError `concurrency_limited`. */
  enter(caller: Principal, operationClass: OperationClass): Slot;
  /**
   * Wait for a slot: a free one, or that of the parent. Those of one tenant who wait get theirs in the order in which they
   * came, before anybody who only enters.
   *
   * @throws The reason of the signal.
   */
  wait(caller: Principal, operationClass: OperationClass, signal: AbortSignal, parent?: ParentSlot): Promise<Slot>;
}

interface Counter {
  readonly scope: 'key' | 'tenant';
  readonly name: string;
  readonly most: number;
}

interface Waiter {
  readonly take: () => Slot | undefined;
  readonly settle: (slot: Slot) => void;
}

export function createConcurrencyCaps(limits: () => Pick<Limits, 'off' | 'key' | 'tenant'>): ConcurrencyCaps {
  const underWay = new Map<string, number>();
  const waiters = new Map<string, Set<Waiter>>();

  const change = (name: string, by: 1 | -1): void => {
    const count = (underWay.get(name) ?? 0) + by;
    if (count === 0) underWay.delete(name);
    else underWay.set(name, count);
  };

  const countersOf = ({ tenant, id }: Principal, operationClass: OperationClass): readonly Counter[] => [
    { scope: 'key', name: `key ${operationClass} ${tenant} ${id}`, most: limits().key.concurrent[operationClass] },
    { scope: 'tenant', name: lineOf(tenant, operationClass), most: limits().tenant.concurrent[operationClass] },
  ];
  const fullOf = (counters: readonly Counter[]): Counter | undefined =>
    counters.find(({ name, most }) => (underWay.get(name) ?? 0) >= most);

  /** A slot whose end serves those of the tenant who wait. */
  const slotOf = (line: string, free: () => void): Slot => {
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        free();
        for (const waiter of waiters.get(line) ?? []) {
          const slot = waiter.take();
          if (slot !== undefined) waiter.settle(slot);
        }
      },
    };
  };

  const count = (line: string, counters: readonly Counter[]): Slot => {
    for (const { name } of counters) change(name, 1);
    return slotOf(line, () => {
      for (const { name } of counters) change(name, -1);
    });
  };
  const borrow = (line: string, parent: ParentSlot): Slot => {
    parent.isLent = true;
    return slotOf(line, () => {
      parent.isLent = false;
    });
  };

  return {
    enter(caller, operationClass) {
      if (limits().off) return unlimited;
      const counters = countersOf(caller, operationClass);
      const full = fullOf(counters);
      if (full !== undefined) throw tooMany(full);
      return count(lineOf(caller.tenant, operationClass), counters);
    },
    async wait(caller, operationClass, signal, parent) {
      if (limits().off) return unlimited;
      signal.throwIfAborted();
      const line = lineOf(caller.tenant, operationClass);
      const counters = countersOf(caller, operationClass);
      const take = (): Slot | undefined => {
        if (fullOf(counters) === undefined) return count(line, counters);
        return parent === undefined || parent.isLent ? undefined : borrow(line, parent);
      };
      const slot = take();
      if (slot !== undefined) return slot;
      const waiting = waiters.get(line) ?? new Set();
      waiters.set(line, waiting);
      return await new Promise((resolve, reject) => {
        const end = (): void => {
          signal.removeEventListener('abort', onAbort);
          waiting.delete(waiter);
          if (waiting.size === 0) waiters.delete(line);
        };
        const onAbort = (): void => {
          end();
          reject(signal.reason);
        };
        const settle = (given: Slot): void => {
          end();
          resolve(given);
        };
        const waiter: Waiter = { take, settle };
        waiting.add(waiter);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}

const unlimited: Slot = { leave: () => {} };

const lineOf = (tenant: TenantId, operationClass: OperationClass): string => `tenant ${operationClass} ${tenant}`;

function tooMany({ scope, most }: Counter): PatchbayError {
  const detail = `the limit of concurrent requests of this kind per ${scope}, ${most}, is reached`;
  return new PatchbayError('concurrency_limited', detail, { retryAfter: 1 });
}
