import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../driver/random.ts';
import { adminKey, ask, type ServerProcess } from '../driver/server-process.ts';
import { anyWay, askPriced } from './ask-priced.ts';
import { withPricedServer } from './with-priced-server.ts';

export interface CountingOptions {
  readonly seed: number;
  readonly calls: number;
  readonly clients: number;
  /** How often both processes of the server are replaced meanwhile. */
  readonly replacements: number;
}

export interface CountingReport {
  readonly answered: number;
  readonly faults: readonly string[];
}

const OWNER = 'everyone';

const PATIENCE_MS = 10_000;

/** After this many, the rest says nothing new. */
const MOST_FAULTS = 100;

interface UsageTotal {
  readonly modelCalls: number;
  readonly cost: { readonly amount: string };
}

/**
 * Ask one model through two processes that share a database, with one key, so that every call changes the same totals of the
 * ledger, while the processes are replaced. Each answered call counts once, at its price.
 */
export async function countAtOnce({ seed, calls, clients, replacements }: CountingOptions): Promise<CountingReport> {
  const random = createRandom(seed);
  const lines = 'server: { processes: 2, keepAliveTimeoutMs: 1000 }\nlimits: { off: true }';
  const readyMessage = 'all processes listen';
  return await withPricedServer({ seed, lines, readyMessage }, async (server, upstream) => {
    const faults: string[] = [];
    let [asked, answered, isReplacing] = [0, 0, replacements > 0];
    const client = async (): Promise<void> => {
      const own = createRandom(random.below(2 ** 31));
      while ((asked < calls || isReplacing) && faults.length < MOST_FAULTS) {
        asked += 1;
        const way = anyWay(own);
        const { status, code } = await askPriced(server, adminKey, OWNER, way);
        if (status === 200) answered += 1;
        else faults.push(`${way}: ${status} ${code}`);
      }
    };
    const replace = async (): Promise<void> => {
      for (let number = 1; number <= replacements; number += 1) {
        const replaced = server.logged('replaced all processes', number);
        server.process.kill('SIGUSR2');
        await replaced;
      }
      isReplacing = false;
    };
    await Promise.all([replace(), ...Array.from({ length: clients }, client)]);
    const { calls: owedCalls = 0, nanoUsd: owed = 0 } = upstream.owed.get(OWNER) ?? {};
    const { modelCalls, cost } = await usageOf(server, answered);
    if (owedCalls !== answered) faults.push(`${answered} calls answered, ${owedCalls} at the vendor`);
    if (modelCalls !== answered) faults.push(`${answered} calls answered, ${modelCalls} in the usage`);
    const counted = BigInt(cost.amount.replace('.', ''));
    if (counted !== BigInt(owed)) faults.push(`${owed} owed, ${counted} in the usage`);
    await server.end('SIGTERM');
    faults.push(...compareTables(server.data, answered));
    return { answered, faults };
  });
}

/** The calls of another process appear a quarter of a second later. */
async function usageOf(server: ServerProcess, calls: number): Promise<UsageTotal> {
  const patience = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await ask(server, 'GET', '/usage');
    const total = body['total'] as UsageTotal;
    if (total.modelCalls >= calls || performance.now() > patience) return total;
    await delay(50);
  }
}

/** Entries, the totals by hour that they are added to, and the records of calls, which are written in one commit. */
function compareTables(data: string, answered: number): string[] {
  const database = new DatabaseSync(join(data, 'patchbay.db'), { readOnly: true });
  const sums = (sql: string) => Object.values(database.prepare(sql).get() ?? {}).map(Number);
  try {
    const entries = sums(`SELECT SUM(COALESCE(calls, 1)), SUM(cost_nano_usd) FROM usage_entries WHERE kind = 'model'`);
    const hours = sums(`SELECT SUM(calls), SUM(cost_nano_usd) FROM usage_hours WHERE kind = 'model'`);
    const [records = 0] = sums('SELECT COUNT(*) FROM call_records');
    const faults = records === answered ? [] : [`${answered} calls answered, ${records} recorded`];
    return entries.join() === hours.join() ? faults : [...faults, `entries ${entries.join()}, totals ${hours.join()}`];
  } finally {
    database.close();
  }
}
