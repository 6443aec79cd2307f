import { type FunctionCaller, reachesFunction } from '@patchbay/contracts/base/stored-rows';
import type { FunctionRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { LRUCache } from 'lru-cache';
import { callNames } from '../types/function-types.ts';
import { createSearchIndex } from './search-index.ts';

/** All functions of a tenant, by the names under which programs call them. */
export interface FunctionCatalog {
  /** The name of each function, by its id. */
  readonly names: ReadonlyMap<string, string>;
  /** The id of each function, by its name. */
  readonly ids: ReadonlyMap<string, string>;
  /** The ids of the functions that match a query, best first. */
  search(query: string): readonly string[];
}

export type ReadFunctionCatalog = (caller: FunctionCaller) => Promise<FunctionCatalog>;

const PAGE = 100;
const KEPT_TENANTS = 100;

/** Names that do not stand for functions where programs find functions. */
const taken: ReadonlySet<string> = new Set(['call', 'then']);

/** Reads the functions of tenants, and keeps what it made of them until one of the tenant's functions changes. */
export function createFunctionCatalogs(storage: Storage): ReadFunctionCatalog {
  const kept = new LRUCache<TenantId, { readonly state: string; readonly catalog: Promise<FunctionCatalog> }>({
    max: KEPT_TENANTS,
  });
  const catalogOf = async (tenant: TenantId): Promise<FunctionCatalog> => {
    const state = await stateOf(storage, tenant);
    const known = kept.get(tenant);
    if (known?.state === state) return await known.catalog;
    const catalog = readAll(storage, tenant).then(createCatalog);
    kept.set(tenant, { state, catalog });
    catalog.catch(() => kept.delete(tenant));
    return await catalog;
  };
  return async (caller) => reachedBy(caller, await catalogOf(caller.tenant));
}

/** The part of a catalogue that a caller reaches. */
function reachedBy(caller: FunctionCaller, catalog: FunctionCatalog): FunctionCatalog {
  if (!caller.functions) return catalog;
  const names = new Map([...catalog.names].filter(([id]) => reachesFunction(caller, id)));
  return {
    names,
    ids: new Map([...names].map(([id, name]) => [name, id])),
    search: (query) => catalog.search(query).filter((id) => names.has(id)),
  };
}

/** Changes whenever a function is created, replaced or deleted. */
async function stateOf(storage: Storage, tenant: TenantId): Promise<string> {
  const query = { sort: 'updatedAt', order: 'desc', limit: 1, select: ['id', 'revision', 'updatedAt'] } as const;
  const { rows, total } = await storage.list(tenant, 'functions', query);
  return JSON.stringify([total, rows]);
}

const read = ['id', 'name', 'key', 'description', 'input', 'output', 'createdAt'] as const;
type ReadFunction = Pick<FunctionRow, (typeof read)[number]>;

async function readAll(storage: Storage, tenant: TenantId): Promise<readonly ReadFunction[]> {
  const all: ReadFunction[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last && { after: { value: last.createdAt, id: last.id } };
    const query = { sort: 'createdAt', order: 'asc', limit: PAGE, select: read, ...after } as const;
    const { rows } = await storage.list(tenant, 'functions', query);
    all.push(...rows);
    if (rows.length < PAGE) return all;
  }
}

function createCatalog(rows: readonly ReadFunction[]): FunctionCatalog {
  const own = callNames(rows);
  const nameOf = (id: string): string => {
    const name = own.get(id);
    return name === undefined || taken.has(name) ? id : name;
  };
  const names = new Map(rows.map(({ id }) => [id, nameOf(id)]));
  return {
    names,
    ids: new Map([...names].map(([id, name]) => [name, id])),
    search: createSearchIndex(rows),
  };
}
