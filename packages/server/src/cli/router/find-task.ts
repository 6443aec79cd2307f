import type { Client } from '@patchbay/client';
import { listStored, withName } from '../functions/stored-functions.ts';

/** A function performed by models; without an id, it is not stored. */
export interface NamedTask {
  readonly id?: string;
  readonly name: string;
}

/** The stored function with this name, key or id; or else the name, which calls may still use. */
export async function findTask(client: Client, given: string, signal: AbortSignal): Promise<NamedTask> {
  const all = await listStored(client, signal);
  const found = all.find(({ id }) => id === given) ?? withName(all, given);
  return found ? { id: found.id, name: found.name } : { name: given };
}
