import { setTimeout as delay } from 'node:timers/promises';
import { ask, type ServerProcess } from '../driver/server-process.ts';
import type { Entry, Ledger } from './ledger.ts';

/** A server, or a load balancer before several. */
type Answering = Pick<ServerProcess, 'url'>;

interface Listed {
  readonly id: string;
  readonly description: string;
}

/**
 * Compare what a server has after a crash with what it had promised, and take over what it did beyond.
 *
 * @returns what is wrong
 */
export async function inspect(server: Answering, ledger: Ledger): Promise<readonly string[]> {
  const listed = await listAll(server);
  const faults = [...ledger.entries.values()].flatMap((entry) => settle(entry, listed.get(entry.id)));
  for (const [id, description] of listed) {
    if (ledger.entries.has(id)) continue;
    if (ledger.pendingCreates.delete(description)) ledger.add(id, description);
    else faults.push(`${id} was never created`);
  }
  ledger.pendingCreates.clear();
  for (const entry of ledger.touched) if (!entry.deleted) faults.push(...(await checkVersions(server, entry)));
  ledger.touched.clear();
  for (const [id, text] of ledger.executions) faults.push(...(await checkExecution(server, id, text)));
  ledger.executions.clear();
  for (const [id, text] of ledger.accepted) faults.push(...(await checkAccepted(server, id, text)));
  ledger.accepted.clear();
  return faults;
}

async function listAll(server: Answering): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let query = '?limit=100&sort=createdAt&order=asc';
  for (;;) {
    const { body } = await ask(server, 'GET', `/functions${query}`);
    for (const { id, description } of body['data'] as Listed[]) found.set(id, description);
    const { nextCursor, total } = body['meta'] as { nextCursor?: string; total: number };
    if (nextCursor === undefined) {
      if (total !== found.size) throw new Error(`the total is ${total}, and there are ${found.size} functions`);
      return found;
    }
    query = `?limit=100&sort=createdAt&order=asc&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/** The state that was acknowledged, or the one that was asked for after it. */
function settle(entry: Entry, found: string | undefined): string[] {
  const { pending } = entry;
  entry.pending = undefined;
  if (entry.deleted) return found === undefined ? [] : [`${entry.id} was deleted, and is back`];
  if (found === entry.versions.at(-1)) return [];
  if (pending === 'delete' && found === undefined) {
    entry.deleted = true;
    return [];
  }
  if (typeof pending === 'object' && found === pending.replace) {
    entry.versions.push(found);
    return [];
  }
  return [`${entry.id} must be "${entry.versions.at(-1)}", but is ${found === undefined ? 'gone' : `"${found}"`}`];
}

async function checkVersions(server: Answering, { id, versions }: Entry): Promise<string[]> {
  const full = await ask(server, 'GET', `/functions/${id}`);
  const { body } = await ask(server, 'GET', `/functions/${id}/versions?limit=100&order=asc`);
  const rows = body['data'] as { version: number; description: string }[];
  const numbered = rows.every(({ version }, index) => version === index + 1);
  const same = JSON.stringify(rows.map(({ description }) => description)) === JSON.stringify(versions.slice(0, 100));
  const newest = full.body['description'] === versions.at(-1) && full.headers.get('etag') === `"${versions.length}"`;
  return numbered && same && newest ? [] : [`${id} has other versions than were written`];
}

async function checkExecution(server: Answering, id: string, text: string): Promise<string[]> {
  const { body } = await ask(server, 'GET', `/executions/${id}`);
  const same = body['status'] === 'completed' && (body['output'] as { text?: string }).text === text;
  return same ? [] : [`${id} was completed, and is ${JSON.stringify(body)}`];
}

const PATIENCE_MS = 60_000;

/** It runs in the end, unless it was running when the server died, or its function was deleted before. */
async function checkAccepted(server: Answering, id: string, text: string): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await ask(server, 'GET', `/executions/${id}`);
    const error = body['error'] as { code?: string } | undefined;
    if (body['status'] === 'completed' && (body['output'] as { text?: string }).text === text) return [];
    if (body['status'] === 'interrupted' || error?.code === 'function_not_found') return [];
    const waits = body['status'] === 'queued' || body['status'] === 'running';
    if (!waits || performance.now() > deadline) return [`${id} was accepted, and is ${JSON.stringify(body)}`];
    await delay(50);
  }
}
