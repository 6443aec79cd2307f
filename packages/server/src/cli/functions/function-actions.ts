import type { Action, CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { readText } from '../input.ts';
import { counted, printDocument, printRows } from '../output.ts';
import { ask, clientOf, deleteConfirmed, type RemoteOptions } from '../remote.ts';
import { findStored, keyOf, listStored, readStored, type StoredState } from './stored-functions.ts';

export const list: Action<RemoteOptions> = async (context, options) => {
  const stored = await listStored(clientOf(options, context), context.signal);
  const all = stored.map((each) => ({ key: keyOf(each.name), ...each }));
  printRows(context.output, options, all, ({ key, id, name, updatedAt }) => [key, updatedAt, id, name]);
  context.output.note(counted(all.length, 'function'));
};

/** A function with its settings, as one document. */
export const get: Action<RemoteOptions, [name: string]> = async (context, options, name) => {
  const { id, body } = await readNamed(context, options, name);
  printDocument(context.output, options, { id, ...body });
};

/** Delete a function of the server, as it was when confirmation was requested. Its folder stays. */
export const remove: Action<RemoteOptions & { readonly yes?: boolean }, [name: string]> = async (
  context,
  options,
  given,
) => {
  const { id, body, etag } = await readNamed(context, options, given);
  const { name } = body;
  const question = `Delete ${id} (${JSON.stringify(name)}) from the server, with all of its versions?`;
  return await deleteConfirmed(context, options, { path: `/functions/${id}`, etag, question, deleted: { id, name } });
};

async function readNamed(context: CliContext, options: RemoteOptions, name: string): Promise<StoredState> {
  const client = clientOf(options, context);
  return await readStored(client, await findStored(client, name, context.signal), context.signal);
}

/**
 * Change settings of a function: `temperature=0.2 model=openai/gpt-4`. A value is JSON, or else a text; `@file` is what
 * is in a file, and nothing takes a setting away.
 */
export const set: Action<RemoteOptions & { readonly label?: string }, [string, readonly string[]]> = async (
  context,
  options,
  name,
  assignments,
) => {
  const changes = await Promise.all(assignments.map((assignment) => changeOf(assignment, context)));
  const { id, body: stored, settingsEtag } = await readNamed(context, options, name);
  const body = { ...stored.settings, ...Object.fromEntries(changes) };
  const headers: Record<string, string> = settingsEtag === undefined ? {} : { 'if-match': settingsEtag };
  const query = options.label === undefined ? '' : `?${new URLSearchParams({ label: options.label }).toString()}`;
  const request = { method: 'PUT', path: `/functions/${id}/settings${query}`, body, headers } as const;
  const changed = await ask<{ readonly version: number }>(context, options, request);
  printDocument(context.output, options, options.json ? changed : body);
  context.output.note(`version ${changed.version} of the settings of ${id}`);
};

async function changeOf(assignment: string, context: CliContext): Promise<readonly [string, unknown]> {
  const [, key, value] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
  if (key === undefined || value === undefined) throw new UsageError(`${assignment} is not <setting>=<value>`);
  if (value === '') return [key, undefined];
  return [key, settingValue(await readText(value, context), value.startsWith('@'))];
}

function settingValue(text: string, isFile: boolean): unknown {
  if (isFile) return text.replace(/\r?\n$/, '');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
