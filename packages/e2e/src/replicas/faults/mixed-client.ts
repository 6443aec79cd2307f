import { setTimeout as delay } from 'node:timers/promises';
import type { Entry, Ledger } from '../../crash/ledger.ts';
import type { Random } from '../../driver/random.ts';
import { echo } from '../../driver/sample-functions.ts';
import type { Answer } from '../../driver/server-process.ts';
import type { Ask } from './persistent-ask.ts';

/** Outcomes of requests, besides those in the ledger. */
export interface Tally {
  /** Requests that were sent once more. */
  retries: number;
  /** Requests with a key that ran, and whose response is unknown. */
  answersLost: number;
  /** Executions that failed, and said so, because their code could not fetch without the database. */
  fetchesFailed: number;
  /** Replacements that only a later read confirmed. */
  foundDone: number;
}

export interface MixedClient {
  readonly ask: Ask;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly random: Random;
  /** Part of every description and input, so that no two are the same. */
  readonly name: string;
  /** Where functions leave a trace: they POST their text there. */
  readonly traces: string;
  /** Between one request and the next. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

/**
 * Create, replace, delete, execute and have executed later, one after the other, and send again whatever has no answer:
 * under an `Idempotency-Key` or an `If-Match`.
 *
 * @returns answers that should not have been
 */
export async function mixedClient(client: MixedClient): Promise<readonly string[]> {
  const { ask, ledger, tally, random, name, traces, pauseMs, signal } = client;
  const own: Entry[] = [];
  const wrong: string[] = [];
  const code = `export default async ({ text }, { fetch }) => {
  await fetch('${traces}/' + encodeURIComponent(text), { method: 'POST' });
  return { text };
}`;
  const source = (description: string) => ({ ...echo, description, code });

  /** The answer, where it is this one. */
  const expected = (status: number, answer: Answer, what: string): Answer | undefined => {
    if (answer.status === status) {
      ledger.acknowledged += 1;
      return answer;
    }
    if (answer.body['code'] === 'idempotency_answer_lost') tally.answersLost += 1;
    else if (isFetchFailure(answer)) tally.fetchesFailed += 1;
    else wrong.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return undefined;
  };
  const idempotencyKey = (description: string) => ({ 'idempotency-key': encodeURIComponent(description) });

  const create = async (description: string): Promise<void> => {
    ledger.pendingCreates.add(description);
    const answer = await ask('POST', '/functions', source(description), idempotencyKey(description));
    if (expected(201, answer, 'create') === undefined) return;
    ledger.pendingCreates.delete(description);
    own.push(ledger.add(String(answer.body['id']), description));
  };
  const replace = async (entry: Entry, description: string): Promise<void> => {
    entry.pending = { replace: description };
    ledger.touched.add(entry);
    const match = { 'if-match': `"${entry.versions.length}"` };
    let answer = await ask('PUT', `/functions/${entry.id}`, source(description), match);
    if (answer.status === 412) {
      // It may have succeeded without a response. This function has no other writer.
      answer = await ask('GET', `/functions/${entry.id}`);
      if (answer.body['description'] !== description) wrong.push(`replace: ${entry.id} has changed by itself`);
      tally.foundDone += 1;
    }
    entry.pending = undefined;
    if (expected(200, answer, 'replace')) entry.versions.push(description);
  };
  const remove = async (entry: Entry): Promise<void> => {
    own.splice(own.indexOf(entry), 1);
    entry.pending = 'delete';
    ledger.touched.add(entry);
    const answer = await ask('DELETE', `/functions/${entry.id}`);
    entry.pending = undefined;
    entry.deleted = true;
    // The second time it is gone already.
    if (answer.status !== 404) expected(200, answer, 'delete');
  };
  const execute = async (entry: Entry, text: string, later: boolean): Promise<void> => {
    const headers = { ...idempotencyKey(text), ...(later && { prefer: 'respond-async' }) };
    const answer = await ask('POST', `/functions/${entry.id}/execute`, { input: { text } }, headers);
    if (expected(later ? 202 : 200, answer, later ? 'enqueue' : 'execute') === undefined) return;
    (later ? ledger.accepted : ledger.executions).set(String(answer.body['id']), text);
  };

  for (let round = 0; !signal.aborted; round += 1) {
    const description = `${name} ${round}`;
    const choice = random.below(100);
    const entry = own.length === 0 ? undefined : random.pick(own);
    if (entry === undefined || choice < 25) await create(description);
    else if (choice < 60) await replace(entry, description);
    else if (choice < 70) await remove(entry);
    else await execute(entry, description, choice < 85);
    if (pauseMs > 0) await delay(pauseMs);
  }
  return wrong;
}

/** The error of a `fetch` that the code has not caught. */
function isFetchFailure({ body: { code, detail } }: Answer): boolean {
  return code === 'function_failed' && detail === 'the storage could not do this right now';
}
