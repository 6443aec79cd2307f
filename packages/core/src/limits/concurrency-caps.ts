import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Limits } from '../contracts/limits-config.ts';
import type { OperationClass } from '../contracts/operation-class.ts';

/** A place among the requests of a caller that are under way. */
export interface Slot {
  /** Only the first call counts. */
  leave(): void;
}

/** Limits how much of what takes long a caller has under way. Counted in this process. */
export interface ConcurrencyCaps {
  /** @throws PatchbayError `concurrency_limited`. */
  enter(caller: Principal, operationClass: OperationClass): Slot;
}

export function createConcurrencyCaps(limits: Pick<Limits, 'key' | 'tenant'>): ConcurrencyCaps {
  const underWay = new Map<string, number>();

  const change = (name: string, by: 1 | -1): void => {
    const count = (underWay.get(name) ?? 0) + by;
    if (count === 0) underWay.delete(name);
    else underWay.set(name, count);
  };

  return {
    enter(caller, operationClass) {
      const { tenant, id } = caller;
      const names = { key: `key ${operationClass} ${tenant} ${id}`, tenant: `tenant ${operationClass} ${tenant}` };
      for (const scope of ['key', 'tenant'] as const) {
        const most = limits[scope].concurrent[operationClass];
        if ((underWay.get(names[scope]) ?? 0) >= most) throw tooMany(scope, most);
      }
      change(names.key, 1);
      change(names.tenant, 1);
      let left = false;
      return {
        leave() {
          if (left) return;
          left = true;
          change(names.key, -1);
          change(names.tenant, -1);
        },
      };
    },
  };
}

function tooMany(scope: string, most: number): PatchbayError {
  const detail = `at most ${most} requests of this kind may be under way for one ${scope}`;
  return new PatchbayError('concurrency_limited', detail, { retryAfter: 1 });
}
