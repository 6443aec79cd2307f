import { APIError, type Problem } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { counted } from '../counted.ts';
import { exitCodes } from '../exit-codes.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { sayingStream } from '../say-waiting.ts';
import { streamEvents } from '../stream-events.ts';
import { table } from '../table.ts';
import { findStored, keyOf } from './find-stored.ts';
import { listStored, readStored } from './stored-functions.ts';

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
