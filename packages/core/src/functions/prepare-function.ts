import { createHash } from 'node:crypto';
import { nameKey } from '@patchbay/contracts/base/names';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Executor, FunctionSource } from '@patchbay/contracts/executor';
import type { FunctionRow } from '@patchbay/contracts/rows';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { FunctionInput } from './function-service.ts';
import { refusal } from './uploaded-bundles/check-bundle.ts';
import { type IdentifiedBundle, readBundle } from './uploaded-bundles/stored-bundles.ts';

/** A validated function that can be stored or run: a row without its id and timestamps. */
export type PreparedInput = Omit<FunctionRow, 'id' | 'revision' | 'createdAt' | 'updatedAt'>;

/**
 * Validate schemas and code, and let the executor prepare the code.
 *
 * @throws PatchbayError `schema_invalid`, `code_invalid`, `executor_unavailable`, `overloaded`.
 */
export async function prepareFunction(
  input: Omit<FunctionInput, 'bundle' | 'settings'>,
  kept: IdentifiedBundle | undefined,
  { executor, schemas }: { readonly executor: Executor | undefined; readonly schemas: SchemaService },
  context: RequestContext,
): Promise<PreparedInput> {
  await schemas.checkFunction(context.caller.tenant, input);
  const { name, description, code } = input;
  if (kept && code === '') throw refusal({ pointer: '/bundle', code: 'no_function', detail: 'belongs to code' });
  const source = { code, input: input.input, output: input.output };
  const artifact = await artifactOf(source, kept, executor, context);
  const [bundleId, packages] = kept ? [kept.id, kept.bundle.packages] : [null, null];
  const hash = contentHash(input, bundleId);
  return { name, key: nameKey(name), description, ...source, bundleId, packages, artifact, contentHash: hash };
}

/** The artifact of a source, which is passed to the executor with schemas in one spelling. */
async function artifactOf(
  { code, input, output }: FunctionSource,
  kept: IdentifiedBundle | undefined,
  executor: Executor | undefined,
  context: RequestContext,
): Promise<string> {
  const resolved = { code, input: resolvedSchema(input), output: resolvedSchema(output) };
  const source = kept ? { ...resolved, bundle: kept.bundle } : resolved;
  return (await executor?.prepare?.(source, context))?.artifact ?? kept?.bundle.module ?? code;
}

/** SHA-256, in hex, of the content of a version: everything a caller writes, without settings. */
function contentHash(
  { name, description, input, output, code }: Omit<FunctionInput, 'bundle' | 'settings'>,
  bundleId: string | null,
): string {
  const bundle = bundleId === null ? [] : [bundleId.slice(bundleId.indexOf('/') + 1)];
  return createHash('sha256')
    .update(JSON.stringify([name, description, input, output, code, ...bundle]))
    .digest('hex');
}

/** The function version that an execution runs. */
interface RunVersion {
  readonly functionId: string;
  readonly functionVersion: number;
}

/**
 * A function as it was when an execution was accepted: the current row for the latest version, an older one is prepared
 * again. Undefined if it was deleted meanwhile.
 */
export async function functionAtVersion(
  storage: Storage,
  executor: Executor,
  version: RunVersion,
  context: RequestContext,
): Promise<FunctionRow | undefined> {
  const row = await storedAtVersion(storage, context.caller.tenant, version);
  if (row === undefined || row.artifact !== undefined) return row;
  const kept = await readBundle(storage, context.caller.tenant, row.bundleId);
  return { ...row, artifact: await artifactOf(row, kept, executor, context) };
}

/** The stored version of a function. An older one lacks the artifact that the executor made of its code. */
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
  const { name, description, input, output, code, bundleId, packages, contentHash } = kept;
  const { artifact: _, ...row } = newest;
  const content = { name, description, input, output, code, bundleId, packages, contentHash };
  return { ...row, revision: functionVersion, ...content };
}
