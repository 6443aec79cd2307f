import { distance } from 'fastest-levenshtein';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { nameKey } from './name-key.ts';

/** Names that are looked at: of the newest functions. */
const LOOKED_AT = 100;
const SHOWN = 3;

/** The names of stored functions that a mistaken one is near to, the nearest first. */
export async function nearestNames(storage: Storage, tenant: TenantId, name: string): Promise<readonly string[]> {
  const query = { sort: 'createdAt', order: 'desc', limit: LOOKED_AT, select: ['id', 'name', 'createdAt'] } as const;
  const { rows } = await storage.list(tenant, 'functions', query);
  const given = nameKey(name).toLowerCase();
  return rows
    .map((row) => ({ name: row.name, distance: distance(given, nameKey(row.name).toLowerCase()) }))
    .filter((candidate) => candidate.distance <= longestDistance(given))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, SHOWN)
    .map((candidate) => candidate.name);
}

/** A third of the name, and at least two letters; but less than half of it, or every short name would be near to every other. */
function longestDistance({ length }: string): number {
  return Math.min(Math.max(2, Math.floor(length / 3)), Math.ceil(length / 2) - 1);
}
