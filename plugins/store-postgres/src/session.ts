import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult } from '@patchbay/core/storage';
import {
  applyInRounds,
  type CountChange,
  changesNoCount,
  countStatements,
  type EncodedWrite,
  escapeNul,
  type Statement,
  type StatementResult,
  type WriteStatements,
} from '@patchbay/store-typeorm';
import type { ClientBase, CustomTypesConfig, QueryArrayResult } from 'pg';
import { isTaken } from './failures.ts';

// Values stay the text that the server sent: what they mean is the business of their columns.
const types: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/**
 * Gives each text a name, under which connections keep it prepared. There are as many as there are shapes of queries.
 */
export class PreparedQueries {
  readonly #names = new Map<string, string>();

  /** The statement as the driver takes it. */
  of({ sql, parameters }: Statement) {
    let name = this.#names.get(sql);
    if (name === undefined) {
      name = `patchbay_${this.#names.size}`;
      this.#names.set(sql, name);
    }
    const values = parameters.map((value) => (typeof value === 'string' ? escapeNul(value) : value));
    return { name, text: sql, values, rowMode: 'array' as const, types };
  }
}

/** One connection. Statements that are sent together reach the server in one packet. */
export class Session {
  readonly #client: ClientBase;
  readonly #queries: PreparedQueries;

  constructor(client: ClientBase, queries: PreparedQueries) {
    this.#client = client;
    this.#queries = queries;
  }

  /**
   * Send statements between others that are plain text, such as `BEGIN`.
   *
   * @throws the first failure, once all responses have arrived.
   */
  async send(
    statements: readonly Statement[],
    { before, after }: { readonly before?: string; readonly after?: string } = {},
  ): Promise<readonly StatementResult[]> {
    const first = before === undefined ? [] : [this.#client.query(before)];
    const asked = statements.map((statement) =>
      this.#client.query<unknown[]>(this.#queries.of(statement)).then(answer, refusal),
    );
    const last = after === undefined ? [] : [this.#client.query(after)];
    const settled = await Promise.allSettled([...first, ...asked, ...last]);
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return await Promise.all(asked);
  }

  /** End the transaction, where one is open. */
  async rollBack(): Promise<void> {
    if (this.#client.getTransactionStatus() !== 'I') await this.#client.query('ROLLBACK');
  }
}

function answer({ rows, rowCount }: QueryArrayResult<unknown[]>): StatementResult {
  return { changes: rowCount ?? 0, rows, conflict: false };
}

function refusal(error: unknown): StatementResult {
  if (isTaken(error)) return { changes: 0, rows: [], conflict: true };
  throw error;
}

/**
 * One commit as one transaction. Writes that have nothing to do with each other are sent together, the counters with
 * the end: they come last, because a lock on one holds up all other commits.
 *
 * A failure leaves the transaction open.
 */
export async function commit(
  session: Session,
  statements: WriteStatements,
  tenant: TenantId,
  writes: readonly EncodedWrite[],
): Promise<CommitResult> {
  const counts: CountChange[] = [];
  const rounds = applyInRounds(statements, tenant, writes, counts);
  const first = rounds.next();
  // Then there is one statement that changes something, and it is a transaction by itself.
  const alone = writes.length === 1 && writes.every(changesNoCount);
  let round = first;
  while (round.done !== true) {
    const results = await session.send(round.value, round === first && !alone ? { before: 'BEGIN' } : {});
    round = rounds.next(results);
  }
  if (alone) return round.value;
  if (round.value.done) await session.send(countStatements(statements, counts), { after: 'COMMIT' });
  else await session.send([], { after: 'ROLLBACK' });
  return round.value;
}
