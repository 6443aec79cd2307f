import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import type { Action, CliContext } from '../cli-context.ts';
import { type OperatorOptions, operate } from '../operate.ts';
import { counted, printResult } from '../output.ts';
import { clientOf, namesServer, type RemoteOptions, urlOf } from '../remote.ts';
import { clientTypes, type TypedFunctionRow } from './client-types.ts';
import { keyOf, listStored } from './stored-functions.ts';

interface TypesOptions extends RemoteOptions, OperatorOptions {
  readonly out?: string;
}

/** Write a module with the types of the functions of a server, or of a tenant in the storage of the config. */
export const types: Action<TypesOptions> = async (context, options) => {
  if (namesServer(options, context)) {
    return await writeTypes(await rowsOfServer(context, options), urlOf(options, context), context, options);
  }
  const { tenant = 'default' } = options;
  return await operate(context, options, async (operator) => {
    const rows: TypedFunctionRow[] = [];
    for await (const row of operator.functions.list(tenant)) rows.push(row);
    return await writeTypes(rows, `the tenant ${tenant}`, context, options);
  });
};

async function rowsOfServer(context: CliContext, options: RemoteOptions): Promise<readonly TypedFunctionRow[]> {
  const { signal } = context;
  const client = clientOf(options, context);
  const rows: TypedFunctionRow[] = [];
  for (const { id } of await listStored(client, signal)) {
    const { name, description, input, output } = await client.functions.get(id, { signal });
    const schemas = { input: input as Schema, output: output as Schema };
    rows.push({ id, name, description, key: keyOf(name) || null, ...schemas });
  }
  return rows;
}

/** @param whose Whose functions they are, for human readers. */
async function writeTypes(
  rows: readonly TypedFunctionRow[],
  whose: string,
  { cwd, output }: CliContext,
  options: TypesOptions,
): Promise<undefined> {
  const { text, leftOut } = clientTypes(rows);
  const out = options.out && resolve(cwd, options.out);
  if (out) await writeFile(out, text);
  const omitted = leftOut.map(({ row, why }) => ({ id: row.id, name: row.name, why }));
  const written = out ? { file: out } : { text };
  const count = rows.length - leftOut.length;
  if (options.json || !out) {
    printResult(output, options, { ...written, functions: count, leftOut: omitted }, text.trimEnd());
  }
  for (const { row, why } of leftOut) output.note(`left out: ${row.id} (${JSON.stringify(row.name)}): ${why}`);
  output.note(`${counted(count, 'function')} of ${whose}${out ? ` in ${out}` : ''}`);
}
