import { writeFile } from 'node:fs/promises';
import type { Operator } from '@patchbay/core';
import type { Schema } from '@patchbay/core/plugin';
import type { FunctionRow } from '@patchbay/core/storage';
import type { Action } from '../cli-context.ts';
import type { Output } from '../output.ts';
import { counted } from '../output.ts';
import { clientOf, type RemoteOptions, urlOf } from '../remote.ts';
import { clientTypes, type TypedFunctionRow } from './client-types.ts';
import { keyOf, listStored } from './stored-functions.ts';

interface FunctionsOptions {
  readonly tenant: string;
  readonly json: boolean;
}

type FunctionsAction = (operator: Operator, output: Output, options: FunctionsOptions, name: string) => Promise<number>;

const promote: FunctionsAction = async (operator, output, { tenant, json }, name) => {
  const row = await operator.functions.promote(name, tenant);
  const { id, input, output: result } = row;
  output.result(json ? JSON.stringify({ id, name, input, output: result }) : id);
  output.note(`${name} is a function of the tenant ${tenant} now; a model does its work`);
  return 0;
};

const explain: FunctionsAction = async (operator, output, { tenant, json }, name) => {
  const { functionId, settings } = await operator.functions.explain(name, tenant);
  for (const { name: setting, value, source } of settings) {
    const text = `${setting} = ${JSON.stringify(value)}  (${source})`;
    output.result(json ? JSON.stringify({ name: setting, value, source }) : text);
  }
  output.note(functionId === undefined ? `no function of the tenant ${tenant} has this name` : `used by ${functionId}`);
  return 0;
};

export const functionsActions: Readonly<Record<string, FunctionsAction>> = { promote, explain };

interface TypesOptions {
  readonly json: boolean;
  readonly out: string | undefined;
}

/** Write a module with the types of the functions of a tenant, to a file or to standard output. */
export async function storedTypes(
  operator: Operator,
  output: Output,
  { tenant, ...options }: TypesOptions & { readonly tenant: string },
): Promise<number> {
  const rows: FunctionRow[] = [];
  for await (const row of operator.functions.list(tenant)) rows.push(row);
  return await writeTypes(rows, output, { ...options, whose: `the tenant ${tenant}` });
}

/** @param options.whose The functions are theirs, for the person who reads it. */
async function writeTypes(
  rows: readonly TypedFunctionRow[],
  output: Output,
  { json, out, whose }: TypesOptions & { readonly whose: string },
): Promise<number> {
  const { text, leftOut } = clientTypes(rows);
  if (out !== undefined) await writeFile(out, text);
  if (json) {
    const omitted = leftOut.map(({ row, why }) => ({ id: row.id, name: row.name, why }));
    const written = out === undefined ? { text } : { file: out };
    output.result(JSON.stringify({ ...written, functions: rows.length - leftOut.length, leftOut: omitted }));
  } else if (out === undefined) output.result(text.trimEnd());
  for (const { row, why } of leftOut) output.note(`left out: ${row.id} (${JSON.stringify(row.name)}): ${why}`);
  output.note(`${counted(rows.length - leftOut.length, 'function')} of ${whose}${out ? ` in ${out}` : ''}`);
  return 0;
}

/** Write the types of the functions of a server. */
export const remoteTypes: Action<RemoteOptions & { readonly out: string | undefined }> = async (context, options) => {
  const client = clientOf(options, context);
  const rows: TypedFunctionRow[] = [];
  for (const { id } of await listStored(client, context.signal)) {
    const { name, description, input, output } = await client.functions.get(id, { signal: context.signal });
    const schemas = { input: input as Schema, output: output as Schema };
    rows.push({ id, name, description, key: keyOf(name) || null, ...schemas });
  }
  const { json = false, out } = options;
  return await writeTypes(rows, context.output, { json, out, whose: urlOf(options, context) });
};
