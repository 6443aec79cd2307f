import type { Action } from '../cli-context.ts';
import { confirmed } from '../confirm.ts';
import { exitCodes } from '../exit-codes.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { findStored } from './find-stored.ts';
import { readStored } from './stored-functions.ts';

export interface DeleteOptions extends RemoteOptions {
  readonly yes?: boolean;
}

/** Delete a function of the server, as it was when it was asked about. Its folder stays. */
export const remove: (name: string) => Action<DeleteOptions> = (name) => async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const { id, body, etag } = await readStored(client, await findStored(client, name, signal), signal);
  const question = `Delete ${id} (${JSON.stringify(body.name)}) from the server, with all of its versions?`;
  if (!(await confirmed(context, { yes: options.yes, question }))) {
    output.note('nothing was deleted');
    return exitCodes.failure;
  }
  await client.request({ method: 'DELETE', path: `/functions/${id}`, signal, headers: { 'if-match': etag } });
  output.result(options.json ? JSON.stringify({ id, name: body.name, outcome: 'deleted' }) : `deleted  ${id}`);
  return exitCodes.ok;
};
