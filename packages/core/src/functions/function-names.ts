import { nearestNames } from '@patchbay/contracts/base/names';
import type { FunctionCaller } from '@patchbay/contracts/base/stored-rows';
import type { Storage } from '@patchbay/contracts/storage';
import { LRUCache } from 'lru-cache';
import { findByName, LONGEST_FOUND } from './find-by-name.ts';

/** The function of a name, if there is one. */
export interface NamedFunction {
  /** Undefined if no function has the name or key. */
  readonly id: string | undefined;
  /** The names of stored functions similar to it, the most similar first. */
  nearest(): Promise<readonly string[]>;
}

/** The functions that callers name. */
export interface FunctionNames {
  /** @throws PatchbayError `ambiguous_function_name` with the ids, if there is more than one. */
  find(caller: FunctionCaller, name: string): Promise<NamedFunction>;
}

interface Remembered {
  /** Of the audit log. */
  readonly sequence: number;
  readonly named: NamedFunction;
}

/** Of all tenants; the least recently called are evicted, because callers can use any names. */
const MOST_REMEMBERED = 1_000;

/**
 * Finds functions by name, and caches what was found for as long as the audit log of the tenant is unchanged: every
 * change of a function extends it in the same commit. So a change in any process takes effect with its commit, and a
 * known name takes one read instead of three.
 */
export function createFunctionNames(storage: Storage): FunctionNames {
  const remembered = new LRUCache<string, Remembered>({ max: MOST_REMEMBERED });

  const read = async (caller: FunctionCaller, name: string): Promise<NamedFunction> => {
    let nearest: Promise<readonly string[]> | undefined;
    return {
      id: await findByName(storage, caller, name),
      nearest() {
        nearest ??= nearestNames(storage, caller, name).catch((error: unknown) => {
          nearest = undefined;
          throw error;
        });
        return nearest;
      },
    };
  };

  return {
    async find(caller, name) {
      const { tenant, functions } = caller;
      // A caller with an allow list may reach other functions, and longer names are not looked up.
      if (functions || name.length > LONGEST_FOUND) return await read(caller, name);
      // Before the functions: a change in between makes the cached result outdated, not wrong.
      const { sequence = 0 } = (await storage.get(tenant, 'auditHeads', tenant)) ?? {};
      const key = `${tenant} ${name}`;
      const known = remembered.get(key);
      if (known?.sequence === sequence) return known.named;
      const named = await read(caller, name);
      remembered.set(key, { sequence, named });
      return named;
    },
  };
}
