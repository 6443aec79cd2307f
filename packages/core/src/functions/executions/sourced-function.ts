import type { RequestContext } from '../../contracts/context.ts';
import type { Executor } from '../../contracts/executor.ts';
import type { FunctionRow } from '../../contracts/rows.ts';
import type { Storage } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';

/** Which version of which function an execution runs. */
export interface RunVersion {
  readonly functionId: string;
  readonly functionVersion: number;
}

/**
 * A function as it was when an execution of it was accepted: its newest version as it stands, an older one prepared once
 * more. Undefined where it was deleted meanwhile.
 */
export async function functionAtVersion(
  storage: Storage,
  executor: Executor,
  version: RunVersion,
  context: RequestContext,
): Promise<FunctionRow | undefined> {
  const row = await storedAtVersion(storage, context.caller.tenant, version);
  if (row === undefined || row.artifact !== undefined) return row;
  const { code, input, output } = row;
  const { artifact } = (await executor.prepare?.({ code, input, output }, context)) ?? { artifact: code };
  return { ...row, artifact };
}

/** What is stored of a function as it was then. Of an older version, that is all but what the executor made of its code. */
export async function storedAtVersion(
  storage: Storage,
  tenant: TenantId,
  { functionId, functionVersion }: RunVersion,
): Promise<FunctionRow | (Omit<FunctionRow, 'artifact'> & { readonly artifact?: undefined }) | undefined> {
  const newest = await storage.get(tenant, 'functions', functionId);
  if (newest === undefined || newest.revision === functionVersion) return newest;
  const where = { functionId, version: functionVersion };
  const { rows } = await storage.list(tenant, 'functionVersions', { where, sort: 'version', order: 'desc', limit: 1 });
  const [kept] = rows;
  if (kept === undefined) return undefined;
  const { name, description, input, output, code, contentHash } = kept;
  const { artifact: _, ...row } = newest;
  return { ...row, revision: functionVersion, name, description, input, output, code, contentHash };
}
