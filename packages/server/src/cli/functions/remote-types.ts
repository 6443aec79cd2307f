import type { Schema } from '@patchbay/core/plugin';
import type { TypedFunctionRow } from '../../client-types/client-types.ts';
import type { Action } from '../cli-context.ts';
import { clientOf, type RemoteOptions, urlOf } from '../remote.ts';
import { keyOf } from './find-stored.ts';
import { writeTypes } from './operator-functions.ts';
import { listStored } from './stored-functions.ts';

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
