import { APIError, type Problem } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { exitCodes, UsageError } from '../cli-failure.ts';
import { confirmed, readText } from '../input.ts';
import { counted, table } from '../output.ts';
import { clientOf, type RemoteOptions, sayingStream, streamEvents } from '../remote.ts';
import { findStored, keyOf, listStored, readStored } from './stored-functions.ts';

export const list: Action<RemoteOptions> = async (context, options) => {
  const all = await listStored(clientOf(options, context), context.signal);
  const { output } = context;
  if (options.json) for (const each of all) output.result(JSON.stringify({ key: keyOf(each.name), ...each }));
  else
    for (const line of table(all.map(({ id, name, updatedAt }) => [keyOf(name), updatedAt, id, name])))
      output.result(line);
  output.note(counted(all.length, 'function'));
  return exitCodes.ok;
};

/** A function with its settings, as one document. */
export const get: (name: string) => Action<RemoteOptions> = (name) => async (context, options) => {
  const client = clientOf(options, context);
  const { id, body } = await readStored(client, await findStored(client, name, context.signal), context.signal);
  context.output.result(JSON.stringify({ id, ...body }, undefined, options.json ? undefined : 2));
  return exitCodes.ok;
};

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly time: string;
}

/** The logs of an execution, or of the last one of a function; followed until its end where it still runs. */
export const logs: (given: string) => Action<RemoteOptions> = (given) => async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const id = given.startsWith('execution_') ? given : await lastExecution(given);
  const path = `/executions/${encodeURIComponent(id)}/logs`;
  const { stream } = await client.request({ method: 'GET', path, signal, headers: { accept: 'text/event-stream' } });
  let status = 'unknown';
  const say = (waiting: string) => output.note(options.json ? JSON.stringify({ waiting }) : waiting);
  for await (const { event, data } of sayingStream(
    `the logs of ${id}, which has not ended`,
    say,
    streamEvents(stream),
  )) {
    if (event === 'log') {
      const { time, level, message } = data as LogLine;
      output.result(options.json ? JSON.stringify(data) : `${time} ${level} ${message}`);
    } else if (event === 'end') ({ status } = data as { status: string });
    else if (event === 'error') throw new APIError(500, data as Problem);
  }
  output.note(`${id}: ${status}`);
  return status === 'completed' ? exitCodes.ok : exitCodes.failure;

  async function lastExecution(name: string): Promise<string> {
    const functionId = await findStored(client, name, signal);
    const query = `/functions/${functionId}/executions?limit=1`;
    const { data } = (await client.request({ method: 'GET', path: query, signal })).json as { data: { id: string }[] };
    if (data[0]) return data[0].id;
    throw new APIError(404, { code: 'execution_not_found', detail: `${name} was not executed yet` });
  }
};

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

/** The settings that a call of the function would use, each with its source. */
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
