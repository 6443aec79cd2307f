import type { RequestContext } from '../contracts/context.ts';
import type { Executor } from '../contracts/executor.ts';
import type { FunctionRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';

/**
 * A function as it was when an execution of it was accepted: its newest version as it stands, an older one prepared once
 * more. Undefined where it was deleted meanwhile.
 */
export async function functionAtVersion(
  { storage, executor }: { readonly storage: Storage; readonly executor: Executor },
  { functionId, functionVersion }: { readonly functionId: string; readonly functionVersion: number },
  context: RequestContext,
): Promise<FunctionRow | undefined> {
  const { tenant } = context.caller;
  const newest = await storage.get(tenant, 'functions', functionId);
  if (newest === undefined || newest.revision === functionVersion) return newest;
  const where = { functionId, version: functionVersion };
  const { rows } = await storage.list(tenant, 'functionVersions', { where, sort: 'version', order: 'desc', limit: 1 });
  const [kept] = rows;
  if (kept === undefined) return undefined;
  const { code, input, output } = kept;
  const { artifact } = (await executor.prepare?.({ code, input, output }, context)) ?? { artifact: code };
  const { name, description, contentHash } = kept;
  return { ...newest, revision: functionVersion, name, description, input, output, code, artifact, contentHash };
}
