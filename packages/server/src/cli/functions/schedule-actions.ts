import type { Client } from '@patchbay/client';
import type { Action, CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { readObject } from '../input.ts';
import { printResult, printRows } from '../output.ts';
import { ask, clientOf, deleteConfirmed, listAll, type RemoteOptions } from '../remote.ts';
import { findStored } from './stored-functions.ts';

interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly every?: string;
  readonly overlap: string;
  readonly enabled: boolean;
  readonly nextAt?: string;
  readonly pausedReason?: string;
}

interface Execution {
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  readonly scheduledFor?: string;
}

interface SetOptions extends RemoteOptions {
  readonly name: string;
  readonly cron?: string;
  readonly every?: string;
  readonly timezone?: string;
  readonly input?: string;
  readonly overlap?: string;
  readonly catchUp?: string;
}

async function collectionOf(client: Client, given: string, signal: AbortSignal): Promise<string> {
  return `/functions/${encodeURIComponent(await findStored(client, given, signal))}/schedules`;
}

async function allOf(path: string, client: Client, signal: AbortSignal): Promise<readonly Schedule[]> {
  const found: Schedule[] = [];
  for await (const each of listAll<Schedule>(client, `${path}?order=asc`, signal)) found.push(each);
  return found;
}

/** The path of a schedule by its name. @throws UsageError with the existing names. */
async function pathOf(context: CliContext, options: RemoteOptions, given: string, name: string): Promise<string> {
  const client = clientOf(options, context);
  const path = await collectionOf(client, given, context.signal);
  const all = await allOf(path, client, context.signal);
  const found = all.find((each) => each.name === name);
  if (found) return `${path}/${found.id}`;
  const names = all.map((each) => each.name).join(', ');
  throw new UsageError(
    `${given} has no schedule ${JSON.stringify(name)}; ${names ? `it has ${names}` : 'it has none'}`,
  );
}

function timesOf({ cron, timezone, every }: Schedule): string {
  return cron === undefined ? `every ${every}` : `${cron} (${timezone})`;
}

function stateOf({ nextAt, pausedReason }: Schedule): string {
  return nextAt === undefined ? `paused: ${pausedReason}` : `next ${nextAt}`;
}

const rowOf = (each: Schedule): readonly string[] => [each.name, timesOf(each), each.overlap, stateOf(each)];

export const list: Action<RemoteOptions, [given: string]> = async (context, options, given) => {
  const client = clientOf(options, context);
  const all = await allOf(await collectionOf(client, given, context.signal), client, context.signal);
  printRows(context.output, options, all, rowOf);
};

/** Create a schedule, or replace the one with this name. */
export const set: Action<SetOptions, [given: string]> = async (context, options, given) => {
  const { name, cron, every, timezone, overlap, catchUp } = options;
  const client = clientOf(options, context);
  const path = await collectionOf(client, given, context.signal);
  const input = options.input === undefined ? undefined : await readObject(options.input, context);
  const body = { name, cron, every, timezone, overlap, catchUp, input };
  const before = (await allOf(path, client, context.signal)).find((each) => each.name === name);
  const schedule = before
    ? await ask<Schedule>(context, options, { method: 'PUT', path: `${path}/${before.id}`, body })
    : await ask<Schedule>(context, options, { method: 'POST', path, body });
  printRows(context.output, options, [schedule], rowOf);
};

const change =
  (verb: 'pause' | 'resume'): Action<RemoteOptions, [given: string, name: string]> =>
  async (context, options, given, name) => {
    const path = `${await pathOf(context, options, given, name)}/${verb}`;
    printRows(context.output, options, [await ask<Schedule>(context, options, { method: 'POST', path })], rowOf);
  };

export const pause = change('pause');
export const resume = change('resume');

export const run: Action<RemoteOptions, [given: string, name: string]> = async (context, options, given, name) => {
  const path = `${await pathOf(context, options, given, name)}/run`;
  const execution = await ask<Execution>(context, options, { method: 'POST', path });
  printResult(context.output, options, execution, `${execution.status}  ${execution.id}`);
};

export const next: Action<RemoteOptions, [given: string, name: string]> = async (context, options, given, name) => {
  const path = `${await pathOf(context, options, given, name)}/next-runs`;
  const { data } = await ask<{ readonly data: readonly string[] }>(context, options, { method: 'GET', path });
  printRows(context.output, options, data, (time) => [time]);
};

/** The newest executions, one page of them. */
export const history: Action<RemoteOptions, [given: string, name: string]> = async (context, options, given, name) => {
  const path = `${await pathOf(context, options, given, name)}/executions`;
  const { data } = await ask<{ readonly data: readonly Execution[] }>(context, options, { method: 'GET', path });
  printRows(context.output, options, data, ({ id, status, createdAt, scheduledFor }) => [
    id,
    status,
    scheduledFor ?? `${createdAt} by request`,
  ]);
};

export const remove: Action<RemoteOptions & { readonly yes?: boolean }, [given: string, name: string]> = async (
  context,
  options,
  given,
  name,
) => {
  const path = await pathOf(context, options, given, name);
  const question = `Delete the schedule ${name} of ${given}?`;
  return await deleteConfirmed(context, options, { path, question, deleted: { id: name } });
};
