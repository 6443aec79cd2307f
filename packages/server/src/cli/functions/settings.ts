import { APIError } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { readText } from '../input.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { UsageError } from '../usage-error.ts';
import { findStored } from './find-stored.ts';
import { readStored } from './stored-functions.ts';

/**
 * Change settings of a function: `temperature=0.2 model=openai/gpt-4`. A value is JSON, or else a text; `@file` is what
 * is in a file, and nothing takes a setting away.
 */
export const set: (name: string, assignments: readonly string[]) => Action<RemoteOptions> =
  (name, assignments) => async (context, options) => {
    const { output, signal } = context;
    const changes = await Promise.all(
      assignments.map(async (assignment) => {
        const [, key, value] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
        if (key === undefined || value === undefined) throw new UsageError(`${assignment} is not <setting>=<value>`);
        return [
          key,
          value === '' ? undefined : settingValue(await readText(value, context), value.startsWith('@')),
        ] as const;
      }),
    );
    const client = clientOf(options, context);
    const { id, body, settingsEtag } = await readStored(client, await findStored(client, name, signal), signal);
    const settings = { ...body.settings, ...Object.fromEntries(changes) };
    const path = `/functions/${id}/settings`;
    const headers: Record<string, string> = settingsEtag === undefined ? {} : { 'if-match': settingsEtag };
    const { json } = await client.request({ method: 'PUT', path, body: settings, signal, headers });
    const { version } = json as { readonly version: number };
    output.result(options.json ? JSON.stringify(json) : JSON.stringify(settings, undefined, 2));
    output.note(`version ${version} of the settings of ${id}`);
    return exitCodes.ok;
  };

function settingValue(text: string, isFile: boolean): unknown {
  if (isFile) return text.replace(/\r?\n$/, '');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

interface ExplainedSetting {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
}

/** What a call of the function would use, each value with its source. */
export const explain: (name: string) => Action<RemoteOptions> = (name) => async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const id = await findStored(client, name, signal);
  const { json } = await client.request({ method: 'GET', path: `/functions/${id}/settings/explain`, signal });
  for (const each of (json as { readonly data: readonly ExplainedSetting[] }).data) {
    const text = `${each.name} = ${JSON.stringify(each.value)}  (${each.source})`;
    output.result(options.json ? JSON.stringify(each) : text);
  }
  output.note(`used by ${id}`);
  return exitCodes.ok;
};

const PAGE = 100;

/** Store a function of a name that was called although no function has it. */
export const promote: (name: string) => Action<RemoteOptions> = (name) => async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  for (let offset = 0; ; offset += PAGE) {
    const path = `/observed-names?limit=${PAGE}&offset=${offset}`;
    const { data } = (await client.request({ method: 'GET', path, signal })).json as {
      readonly data: readonly { readonly id: string; readonly name: string }[];
    };
    const found = data.find((each) => each.name === name);
    if (found) {
      const promoted = `/observed-names/${found.id}/promote`;
      const { json } = await client.request({ method: 'POST', path: promoted, signal });
      output.result(options.json ? JSON.stringify(json) : (json as { readonly id: string }).id);
      output.note(`${name} is a function now; a model does its work`);
      return exitCodes.ok;
    }
    if (data.length < PAGE) break;
  }
  const detail = `${JSON.stringify(name)} is not among the observed names`;
  throw new APIError(404, { code: 'observed_name_not_found', detail });
};
