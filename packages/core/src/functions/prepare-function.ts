import { createHash } from 'node:crypto';
import { nameKey } from '../base/names.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { Executor, FunctionSource } from '../contracts/executor.ts';
import type { FunctionRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { resolvedSchema } from '../schema/resolve-schema.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import type { FunctionInput } from './function-service.ts';

/** A validated function that can be stored or run: a row without its id and timestamps. */
export type PreparedInput = Omit<FunctionRow, 'id' | 'revision' | 'createdAt' | 'updatedAt'>;

/**
 * Validate schemas and code, and let the executor prepare the code.
 *
 * @throws PatchbayError `schema_invalid`, `code_invalid`, `executor_unavailable`, `overloaded`.
 */
export async function prepareFunction(
  input: FunctionInput,
  { executor, schemas }: { readonly executor: Executor | undefined; readonly schemas: SchemaService },
  context: RequestContext,
): Promise<PreparedInput> {
  await schemas.checkFunction(context.caller.tenant, input);
  const { name, description, code } = input;
  const source = { code, input: input.input, output: input.output };
  const { artifact } = (await executor?.prepare?.(resolvedSource(source), context)) ?? { artifact: code };
  return { name, key: nameKey(name), description, ...source, artifact, contentHash: contentHash(input) };
}

/** The source as executors get it: with schemas in one spelling. */
function resolvedSource({ code, input, output }: FunctionSource): FunctionSource {
  return { code, input: resolvedSchema(input), output: resolvedSchema(output) };
}

/** SHA-256, in hex, of the content of a version: everything a caller writes, without settings. */
function contentHash({ name, description, input, output, code }: FunctionInput): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, input, output, code]))
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
  const { code, input, output } = row;
  const { artifact } = (await executor.prepare?.(resolvedSource({ code, input, output }), context)) ?? {
    artifact: code,
  };
  return { ...row, artifact };
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
  const { name, description, input, output, code, contentHash } = kept;
  const { artifact: _, ...row } = newest;
  return { ...row, revision: functionVersion, name, description, input, output, code, contentHash };
}
