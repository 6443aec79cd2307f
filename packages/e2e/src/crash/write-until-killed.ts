import type { Random } from '../driver/random.ts';
import { echo } from '../driver/sample-functions.ts';
import { type Answer, ask, type ServerProcess } from '../driver/server-process.ts';
import type { Entry, Ledger } from './ledger.ts';

export interface Writer {
  readonly server: ServerProcess;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Part of every description, so that no two are the same. */
  readonly name: string;
  readonly onAcknowledged: () => void;
}

/**
 * Create, replace, delete, execute and have executed later, one after the other, until the server is gone.
 *
 * @returns answers that were neither success nor `overloaded`
 */
export async function writeUntilKilled({
  server,
  ledger,
  random,
  name,
  onAcknowledged,
}: Writer): Promise<readonly string[]> {
  const own: Entry[] = [];
  const refused: string[] = [];
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer | undefined> => {
    const answer = await ask(server, method, path, body, headers);
    if (answer.status < 300) return answer;
    if (answer.body['code'] !== 'overloaded') refused.push(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return undefined;
  };
  const acknowledge = (): void => {
    ledger.acknowledged += 1;
    onAcknowledged();
  };

  const create = async (description: string): Promise<void> => {
    ledger.pendingCreates.add(description);
    const answer = await send('POST', '/functions', { ...echo, description });
    ledger.pendingCreates.delete(description);
    if (answer === undefined) return;
    own.push(ledger.add(String(answer.body['id']), description));
    acknowledge();
  };
  const replace = async (entry: Entry, description: string): Promise<void> => {
    entry.pending = { replace: description };
    ledger.touched.add(entry);
    const answer = await send('PUT', `/functions/${entry.id}`, { ...echo, description });
    entry.pending = undefined;
    if (answer === undefined) return;
    entry.versions.push(description);
    acknowledge();
  };
  const remove = async (entry: Entry): Promise<void> => {
    own.splice(own.indexOf(entry), 1);
    entry.pending = 'delete';
    ledger.touched.add(entry);
    const answer = await send('DELETE', `/functions/${entry.id}`);
    entry.pending = undefined;
    if (answer === undefined) return;
    entry.deleted = true;
    acknowledge();
  };
  const execute = async (entry: Entry, text: string): Promise<void> => {
    const answer = await send('POST', `/functions/${entry.id}/execute`, { input: { text } });
    if (answer === undefined) return;
    ledger.executions.set(String(answer.body['id']), text);
    acknowledge();
  };

  const enqueue = async (entry: Entry, text: string): Promise<void> => {
    const prefer = { prefer: 'respond-async' };
    const answer = await send('POST', `/functions/${entry.id}/execute`, { input: { text } }, prefer);
    if (answer === undefined) return;
    ledger.accepted.set(String(answer.body['id']), text);
    acknowledge();
  };

  try {
    for (let round = 0; ; round += 1) {
      const description = `${name} ${round}`;
      const choice = random.below(100);
      const entry = own.length === 0 ? undefined : random.pick(own);
      if (entry === undefined || choice < 30) await create(description);
      else if (choice < 75) await replace(entry, description);
      else if (choice < 90) await remove(entry);
      else if (choice < 94) await enqueue(entry, description);
      else await execute(entry, description);
    }
  } catch {
    // The connection broke: requests in progress stay pending.
    return refused;
  }
}
