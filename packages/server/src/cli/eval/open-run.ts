import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Journal, type RunHead, RunState, sha256 } from '@patchbay/eval';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { openLocalFolder } from '../development-key.ts';
import { makeFolder } from '../functions/local-function.ts';
import { keyOf } from '../functions/stored-functions.ts';

/** A run with the folder that it is kept in. */
export interface OpenRun {
  readonly folder: string;
  readonly journal: Journal;
  readonly state: RunState & { readonly head: RunHead };
}

/** The head of the requested run. */
export type WantedRun = Omit<RunHead, 'type' | 'run' | 'startedAt'>;

/** Open a run in a folder, or begin one. @param wanted Called with the head of an existing run. */
export async function openRun(
  given: string | undefined,
  name: string,
  context: CliContext,
  wanted: (begun: RunHead | undefined) => Promise<WantedRun>,
): Promise<OpenRun> {
  const folder = given === undefined ? await newFolder(name, context.cwd) : resolve(context.cwd, given);
  await makeFolder(folder);
  const state = new RunState();
  const journal = new Journal(folder, state.take);
  try {
    const { head: begun } = state;
    const head = await wanted(begun);
    if (begun) checkSame(begun, head);
    else {
      const line = { type: 'run', run: randomUUID(), startedAt: new Date().toISOString(), ...head } as const;
      journal.append(line);
      state.take(line);
    }
  } catch (error) {
    journal.close();
    throw error;
  }
  return { folder, journal, state: state as OpenRun['state'] };
}

async function newFolder(name: string, cwd: string): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  return join(await openLocalFolder(cwd), 'evals', `${keyOf(name)}-${time}`);
}

/** @throws UsageError if results of both could not be compared, or would be paid for twice. */
function checkSame(begun: RunHead, wanted: WantedRun): void {
  const reasons: readonly (readonly [keyof WantedRun, string])[] = [
    ['function', 'the function was changed'],
    ['variants', 'it compares other models or versions'],
    ['cases', 'the cases were changed'],
    ['caller', 'it began with another server or another API key'],
  ];
  const [, reason] = reasons.find(([member]) => !isDeepStrictEqual(begun[member], wanted[member])) ?? [];
  if (reason !== undefined) throw new UsageError(`this run cannot go on: ${reason}. Begin another one without --run`);
}

/** Digest of a server and a credential. */
export function callerOf({ url, apiKey }: { readonly url: string; readonly apiKey: string }): string {
  return sha256(JSON.stringify([url, apiKey]));
}
