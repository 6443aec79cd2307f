import { nameKey } from '../base/names.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { Executor } from '../contracts/executor.ts';
import type { FunctionRow } from '../contracts/rows.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import { contentHash } from './content-hash.ts';
import type { FunctionInput } from './function-input.ts';

/** A function that could be stored or run: everything about it but when and as which it was stored. */
export type PreparedInput = Omit<FunctionRow, 'id' | 'revision' | 'createdAt' | 'updatedAt'>;

/**
 * Check schemas and code, and have the executor translate the code.
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
  const { artifact } = (await executor?.prepare?.(source, context)) ?? { artifact: code };
  return { name, key: nameKey(name), description, ...source, artifact, contentHash: contentHash(input) };
}
