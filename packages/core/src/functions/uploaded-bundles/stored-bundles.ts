import { createHash } from 'node:crypto';
import type { FunctionBundle } from '@patchbay/contracts/executor';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A bundle under its id, by which versions of a function share it. */
export interface IdentifiedBundle {
  readonly id: string;
  readonly bundle: FunctionBundle;
}

export function identified(functionId: string, bundle: FunctionBundle): IdentifiedBundle {
  const { module, mappings, source, packages } = bundle;
  const hash = createHash('sha256')
    .update(JSON.stringify([module.length, mappings.length, source, packages]))
    .update(module)
    .update(mappings)
    .digest('hex');
  return { id: `${functionId}/${hash}`, bundle };
}

/** The bundle of a version. Undefined if it has none. */
export async function readBundle(
  storage: Pick<Storage, 'get'>,
  tenant: TenantId,
  id: string | null,
): Promise<IdentifiedBundle | undefined> {
  if (id === null) return undefined;
  const row = await storage.get(tenant, 'functionBundles', id);
  if (!row) throw new Error(`the bundle ${id} is missing`);
  const { module, mappings, source, packages } = row;
  return { id, bundle: { module, mappings, source, packages } };
}

/** The write that stores the bundle of a function, unless it is already stored. */
export async function bundleWrites(
  storage: Pick<Storage, 'get'>,
  tenant: TenantId,
  kept: IdentifiedBundle | undefined,
  { functionId, createdAt }: { readonly functionId: string; readonly createdAt: string },
): Promise<readonly Write[]> {
  if (kept === undefined || (await storage.get(tenant, 'functionBundles', kept.id))) return [];
  return [{ insert: 'functionBundles', row: { id: kept.id, revision: 1, functionId, ...kept.bundle, createdAt } }];
}
