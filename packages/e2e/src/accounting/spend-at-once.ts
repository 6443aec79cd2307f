import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../driver/random.ts';
import { ask, type ServerProcess } from '../driver/server-process.ts';
import { anyWay, askPriced } from './ask-priced.ts';
import { MAX_TOKENS, price } from './priced-upstream.ts';
import { withPricedServer } from './with-priced-server.ts';

export interface SpendingOptions {
  readonly seed: number;
  /** About as many calls as the budgets of all keys together allow. */
  readonly calls: number;
  readonly keys: number;
  /** Of each key, at the same time. */
  readonly clients: number;
}

export interface SpendingReport {
  readonly answered: number;
  readonly refused: number;
  /** Part of the budgets that was spent: 0 to 1. */
  readonly spent: number;
  readonly faults: readonly string[];
}

const NANO = 1_000_000_000;

const SETTLED_MS = 20;

/** The code of a refusal, and what OpenAI calls it. */
const refusals: ReadonlySet<string | undefined> = new Set(['quota_exceeded', 'insufficient_quota']);

/** The most that one call can cost, in dollars. Each byte of its prompt counts as a token. */
const MOST_USD = (200 * price.input + MAX_TOKENS * price.output) / 1e6;
const MEAN_USD = MOST_USD / 2;

/**
 * Spend strict budgets with many clients at once, until nothing more is let through. None may be overspent, no call
 * refused while enough is left, and the sums of the server are those of the vendor. Every second key has clients that abandon their streams.
 */
export async function spendAtOnce({ seed, calls, keys, clients }: SpendingOptions): Promise<SpendingReport> {
  const random = createRandom(seed);
  const lines =
    'limits: { key: &only { all: { off: true }, model: { off: true }, concurrent: { model: 1000 } }, tenant: *only }';
  return await withPricedServer({ seed, lines }, async (server, upstream) => {
    const usd = Number(((calls / keys) * MEAN_USD).toFixed(6));
    const budget = { usd, period: 'month', strict: true };
    const spenders: Spender[] = [];
    for (let place = 0; place < keys; place += 1) {
      const { body } = await ask(server, 'POST', '/keys', { name: `key ${place}`, scopes: ['gateway:invoke'], budget });
      spenders.push(new Spender(server, `owner-${place}`, String(body['key']), String(body['id'])));
    }
    const tasks = spenders.flatMap((spender, place) =>
      Array.from({ length: clients }, () => spender.spend(createRandom(random.below(2 ** 31)), place % 2 === 1)),
    );
    await Promise.all(tasks);
    const faults = spenders.flatMap((spender) => spender.faults);
    const left = await amounts(server, '/budgets', (each) => [each['id'], spentOf(each)]);
    const used = await amounts(server, '/usage?groupBy=key', (each) => [each['group'], nanoOf(each['cost'])]);
    let spent = 0;
    for (const [place, { owner, keyId }] of spenders.entries()) {
      const [byBudget = -1, byUsage = -1] = [left.get(keyId), used.get(keyId)];
      const { nanoUsd = 0 } = upstream.owed.get(owner) ?? {};
      spent += byUsage;
      if (byBudget !== byUsage) faults.push(`${owner}: the budget says ${byBudget}, and the usage ${byUsage}`);
      if (byUsage > usd * NANO) faults.push(`${owner} spent ${byUsage} of ${usd * NANO}`);
      if (nanoUsd > usd * NANO) faults.push(`${owner} owes the vendor ${nanoUsd} of ${usd * NANO}`);
      if (byUsage < (usd - MOST_USD) * NANO) faults.push(`${owner} was refused with ${byUsage} of ${usd * NANO} spent`);
      // Only the vendor knows its bill for an abandoned stream.
      if (place % 2 === 0 && byUsage !== nanoUsd) faults.push(`${owner}: ${byUsage} counted, ${nanoUsd} owed`);
    }
    const sum = (of: (spender: Spender) => number) => spenders.reduce((total, each) => total + of(each), 0);
    return {
      answered: sum(({ answered }) => answered),
      refused: sum(({ refused }) => refused),
      spent: spent / (usd * keys * NANO),
      faults,
    };
  });
}

/** The clients of one key. */
class Spender {
  readonly owner: string;
  readonly keyId: string;
  readonly faults: string[] = [];
  answered = 0;
  refused = 0;
  readonly #server: ServerProcess;
  readonly #key: string;
  /** Settles with the next call that ends: what it had reserved is then free. */
  #ending = Promise.withResolvers<void>();

  constructor(server: ServerProcess, owner: string, key: string, keyId: string) {
    this.#server = server;
    this.owner = owner;
    this.#key = key;
    this.keyId = keyId;
  }

  /** Ask until the budget is too small for a call, whatever the calls in progress give back. */
  async spend(random: ReturnType<typeof createRandom>, leaves: boolean): Promise<void> {
    for (;;) {
      const way = leaves && random.below(4) === 0 ? 'left' : anyWay(random);
      const ending = this.#ending.promise;
      const { status, code, retryAfter } = await askPriced(this.#server, this.#key, this.owner, way);
      if (status === 200) {
        this.answered += 1;
        this.#ending.resolve();
        this.#ending = Promise.withResolvers();
        continue;
      }
      this.refused += 1;
      if (status !== 429 || !refusals.has(code) || retryAfter === undefined) {
        this.faults.push(`${this.owner}, ${way}: ${status} ${code}`);
        return;
      }
      // A second if calls in progress may leave enough.
      if (retryAfter > 1) return;
      // An abandoned stream is settled later, and no client sees it.
      await Promise.race([ending, delay(SETTLED_MS)]);
    }
  }
}

type Row = Readonly<Record<string, unknown>>;

const nanoOf = (cost: unknown): number =>
  Math.round(Number((cost as { readonly amount: string } | null)?.amount ?? 0) * NANO);

const spentOf = ({ spent }: Row): number => Math.round(Number(spent) * NANO);

async function amounts(
  server: ServerProcess,
  path: string,
  read: (row: Row) => readonly [id: unknown, nanoUsd: number],
): Promise<ReadonlyMap<unknown, number>> {
  const { body } = await ask(server, 'GET', path);
  return new Map((body['data'] as readonly Row[]).map(read));
}
