import { readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { APIError, type Client } from '@patchbay/client';
import type { OpenRun } from './open-run.ts';

const DAY_MS = 86_400_000;
const NANO = 1_000_000_000;

const scopes = ['functions:execute', 'functions:read', 'calls:read', 'gateway:invoke'] as const;

interface NewKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string | null;
}

/** The file with the secret of a run's key. */
const secretFile = ({ folder }: Pick<OpenRun, 'folder'>): string => join(folder, 'key');

/** The secret of the key of a run. Undefined: it has none, or no longer has one. */
export function keyOfRun(run: OpenRun): string | undefined {
  const { key } = run.state;
  if (key === undefined || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now())) return undefined;
  try {
    return readFileSync(secretFile(run), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Make a key for a run, with what is left of its budget. The server refuses what would exceed it, whatever happens to this process.
 *
 * @param budget Of the run, from its beginning, in billionths of a dollar.
 * @throws APIError
 */
export async function makeKey(client: Client, run: OpenRun, budget: number, signal: AbortSignal): Promise<string> {
  const { head, spent } = run.state;
  const body = {
    name: `evaluation of ${head.function.name}`.slice(0, 200),
    scopes,
    budget: { usd: (budget - spent) / NANO, period: 'month', strict: true },
  };
  const make = async (more: object): Promise<NewKey> =>
    (await client.request({ method: 'POST', path: '/keys', body: { ...body, ...more }, signal })).json as NewKey;
  const { id, key, expiresAt } = await make({ expiresAt: latestEnd(Date.now()) }).catch((error: unknown) => {
    if (!(error instanceof APIError)) throw error;
    // The credentials of the caller expire before that: so does the key.
    if (error.errors.some(({ code }) => code === 'too_late')) return make({});
    if (error.code !== 'insufficient_scope') throw error;
    const detail = `--budget makes a key for the run, for which your key needs the scopes keys:write, ${scopes.join(', ')}`;
    throw new APIError(error.status, { ...error.problem, detail, scope: undefined, errors: [] });
  });
  await writeFile(secretFile(run), key, { mode: 0o600 });
  const line = { type: 'key', id, expiresAt, budget } as const;
  run.journal.append(line);
  run.state.take(line);
  return key;
}

/** A month later, its budget would be there again. */
function latestEnd(now: number): string {
  const date = new Date(now);
  const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return new Date(Math.min(now + DAY_MS, month)).toISOString();
}

/** Revoke the key of a run, if it has one. */
export async function revokeKey(client: Client, run: OpenRun, signal: AbortSignal): Promise<void> {
  const { key } = run.state;
  if (key === undefined || keyOfRun(run) === undefined) return;
  await client.request({ method: 'DELETE', path: `/keys/${encodeURIComponent(key.id)}`, signal });
  rmSync(secretFile(run), { force: true });
}
