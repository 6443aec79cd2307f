import { join } from 'node:path';
import type { Client } from '@patchbay/client';
import { Document } from 'yaml';
import { listAll } from '../remote.ts';
import { readIfThere, readYaml } from './read-yaml.ts';

/** Definitions of schedules by name. */
export type Schedules = Readonly<Record<string, ScheduleDefinition>>;

type ScheduleDefinition = Readonly<Record<string, unknown>>;

export const schedulesFile = 'schedules.yaml';

const defaults = { input: {}, overlap: 'skip', catchUp: 'none', enabled: true };

/** The schedules of a function with all members. Undefined: it has no file, and those of the server stay as they are. */
export async function readLocalSchedules(folder: string): Promise<Schedules | undefined> {
  const file = join(folder, schedulesFile);
  if ((await readIfThere(file)) === undefined) return undefined;
  const { value } = await readYaml(file);
  return mapDefinitions(value as Schedules, (given) => ({
    ...defaults,
    ...('cron' in given && { timezone: 'UTC' }),
    ...given,
  }));
}

/** The file for schedules, without members that have their default. */
export function schedulesText(schedules: Schedules): string {
  const usual: ScheduleDefinition = { ...defaults, timezone: 'UTC' };
  const isUnusual = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(usual[name]);
  const shown = mapDefinitions(schedules, (each) => Object.fromEntries(Object.entries(each).filter(isUnusual)));
  return new Document(shown).toString({ lineWidth: 0 });
}

function mapDefinitions(schedules: Schedules, map: (each: ScheduleDefinition) => ScheduleDefinition): Schedules {
  return Object.fromEntries(Object.entries(schedules).map(([name, each]) => [name, map(each ?? {})]));
}

interface StoredSchedule extends ScheduleDefinition {
  readonly id: string;
  readonly name: string;
}

const pathOf = (functionId: string) => `/functions/${encodeURIComponent(functionId)}/schedules`;

/** The schedules that a function has on the server. */
export async function readStoredSchedules(client: Client, functionId: string, signal: AbortSignal): Promise<Schedules> {
  const found: [string, ScheduleDefinition][] = [];
  for await (const each of storedSchedules(client, functionId, signal)) {
    const { cron, timezone, every, input, overlap, catchUp, enabled } = each;
    const times = cron === undefined ? { every } : { cron, timezone };
    found.push([each.name, { ...times, input, overlap, catchUp, enabled }]);
  }
  return Object.fromEntries(found);
}

const storedSchedules = (client: Client, functionId: string, signal: AbortSignal) =>
  listAll<StoredSchedule>(client, `${pathOf(functionId)}?order=asc`, signal);

/** Give a function on the server exactly these schedules. @param onName Called before each one is sent. */
export async function putSchedules(
  client: Client,
  functionId: string,
  wanted: Schedules,
  { signal, onName }: { readonly signal: AbortSignal; readonly onName: (name: string) => void },
): Promise<void> {
  const path = pathOf(functionId);
  const ids = new Map<string, string>();
  for await (const { id, name } of storedSchedules(client, functionId, signal)) ids.set(name, id);
  for (const [name, definition] of Object.entries(wanted)) {
    onName(name);
    const id = ids.get(name);
    const body = { name, ...definition };
    if (id === undefined) await client.request({ method: 'POST', path, body, signal });
    else await client.request({ method: 'PUT', path: `${path}/${id}`, body, signal });
    ids.delete(name);
  }
  for (const id of ids.values()) await client.request({ method: 'DELETE', path: `${path}/${id}`, signal });
}
